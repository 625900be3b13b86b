import type { QueueDefinition } from "../queue/queue-options.ts";
import type { Attempt } from "./attempt.ts";
import type { Failure } from "../../parked/failure.ts";

/** An item that gave up. */
export interface ExhaustedItem {
  readonly definition: QueueDefinition;
  readonly attempt: Attempt;
  readonly failure: Failure;
}

/**
 * Moves an item that gave up to the parked work, in the transaction that ends it. If `maxParked` is reached, the item waits in its queue and later gives
 * up again without running. Returns whether the item was held.
 */
export type Park = (item: ExhaustedItem) => Promise<boolean>;
