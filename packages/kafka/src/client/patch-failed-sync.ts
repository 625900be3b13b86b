import { PATCHED_VERSION } from "./patch-request-timer.ts";

/** What the patch needs of kafkajs' member of a group. */
interface ConsumerGroup {
  generationId: number | null;
  memberId: string | null;
  joinAndSync(): Promise<void>;
  leave(): Promise<void>;
}

/**
 * Replaces the method of kafkajs that joins a group and gets the member's share of the partitions.
 * When it has joined but fails to get its share, kafkajs goes on with the share of before: the server takes its heartbeats for those of a sound member,
 * and its partitions have no reader until the time of a rebalance is over. Now it leaves the group, and its consumer crashes, so that a new member joins.
 *
 * @returns whether the version of kafkajs is the one that has the fault
 */
export const patchFailedSync = (require: (id: string) => unknown): boolean => {
  const { version } = require("kafkajs/package.json") as { readonly version: string };
  if (version !== PATCHED_VERSION) return false;
  const { prototype } = require("kafkajs/src/consumer/consumerGroup.js") as {
    readonly prototype: ConsumerGroup;
  };
  const { KafkaJSNonRetriableError } = require("kafkajs") as typeof import("kafkajs");
  const joinAndSync = prototype.joinAndSync;
  Reflect.set(prototype, "joinAndSync", async function (this: ConsumerGroup): Promise<void> {
    const { generationId } = this;
    try {
      await joinAndSync.call(this);
    } catch (error) {
      if (this.generationId === generationId) throw error; // not joined: the driver joins again
      await this.leave().catch(() => {}); // the server notices it by the missing heartbeats
      this.memberId = null;
      throw Object.assign(new KafkaJSNonRetriableError(error as Error), { cause: error });
    }
  });
  return true;
};
