import type { ICustomPartitioner, PartitionerArgs } from "kafkajs";
import { kafkajs } from "../client/kafkajs.ts";
import type { BatchRecord } from "./batch.ts";

/**
 * Chooses partitions as clients of other languages do (murmur2 of the key), once for each message.
 *
 * The driver asks again before each of its own tries. Another partition for a message without a key would change the batch, and the server, which
 * knows batches by their numbers, would take a different batch for the one it has. A cancelled batch ends there, too.
 */
export const createPartitioner: ICustomPartitioner = () => {
  const choose = kafkajs().Partitioners.DefaultPartitioner();
  return (args: PartitionerArgs) => {
    const record = args.message as BatchRecord;
    const { reason } = record.batch;
    if (reason !== null)
      throw Object.assign(new Error(reason.message, { cause: reason }), { retriable: false });
    record.chosen ??= choose(args);
    return record.chosen;
  };
};
