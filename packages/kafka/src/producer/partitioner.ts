import type { ICustomPartitioner, PartitionerArgs } from "kafkajs";
import { kafkajs } from "../client/kafkajs.ts";
import type { BatchRecord } from "./batch.ts";

/**
 * Chooses partitions like other Kafka clients (murmur2 of the key), once for each message.
 *
 * kafkajs calls it before each retry. Another partition for a message without a key would change the batch, and the server, which identifies batches by sequence
 * number, would treat the changed batch as a duplicate. Throws for a cancelled batch, to end its retries.
 */
export const createPartitioner: ICustomPartitioner = () => {
  const choose = kafkajs().Partitioners.DefaultPartitioner();
  return (args: PartitionerArgs) => {
    const record = args.message as BatchRecord;
    const { reason } = record.batch;
    if (reason !== null)
      throw Object.assign(new Error(reason.message, { cause: reason }), { retriable: false });
    record.chosenPartition ??= choose(args);
    return record.chosenPartition;
  };
};
