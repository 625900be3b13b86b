import type { Transaction } from "@framework/database";
import type { Lane } from "@framework/durable/feature";
import type { StoreBase } from "../../base/store-base.ts";
import type { Projection } from "../definition/projection.ts";
import type { ShardRef } from "./shard-rows.ts";

/** A shard that this process owns. */
export interface OwnShard {
  readonly base: StoreBase;
  readonly projection: Projection;
  readonly ref: ShardRef;
  readonly check: Lane["check"];
}

/** Timeout of a transaction of a view, in seconds. */
export const APPLY_TIMEOUT_SECS = 60;

/** Runs a transaction that only the owner of a shard can commit. */
export const asOwner = <T>({ base, check }: OwnShard, run: (tx: Transaction) => Promise<T>): Promise<T> =>
  base.db.transaction(
    async (tx) => {
      await check(tx);
      return await run(tx);
    },
    { timeoutSecs: APPLY_TIMEOUT_SECS },
  );
