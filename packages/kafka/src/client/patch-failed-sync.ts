import { PATCHED_VERSION } from "./patch-request-timer.ts";

/** Members of kafkajs' `ConsumerGroup` that the patch uses. */
interface ConsumerGroup {
  generationId: number | null;
  memberId: string | null;
  joinAndSync(): Promise<void>;
  leave(): Promise<void>;
}

/**
 * Patches the method of kafkajs that joins a group and syncs its assignment.
 * If the sync fails after the join, kafkajs keeps the old assignment and its heartbeats make the member look healthy: the new partitions have no consumer until
 * the rebalance times out. With the patch, the member leaves the group and its consumer crashes, so that a new member joins.
 *
 * @returns whether kafkajs has the patched version
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
      if (this.generationId === generationId) throw error; // not joined: kafkajs joins again
      await this.leave().catch(() => {}); // otherwise the server detects the missing heartbeats
      this.memberId = null;
      throw Object.assign(new KafkaJSNonRetriableError(error as Error), { cause: error });
    }
  });
  return true;
};
