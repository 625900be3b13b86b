import type { Transaction } from "@framework/database";
import type { Failure } from "./failure.ts";
import type { ParkedDetails } from "./parked-item.ts";

/** A part that parks work and takes it back. */
export interface ParkedSource {
  /** Unique in a kernel: `work`. */
  readonly source: string;
  /** Takes work back, in the transaction that marks it as replayed. What it throws leaves the work parked, and is reported. */
  replay(tx: Transaction, item: ParkedDetails): Promise<void>;
}

/** Work to park. */
export interface NewParked {
  /** Where it is parked, such as the name of a queue. */
  readonly source: string;
  /** Name of the work. */
  readonly name: string;
  /** Key of the work; `null` without one. */
  readonly key: string | null;
  /** JSON, at most 1 MiB. */
  readonly payload: string;
  /** JSON of text by name. */
  readonly headers: string | null;
  /** JSON, for the source alone. */
  readonly detail: string | null;
  /** The last error. */
  readonly failure: Failure;
  /** Attempts so far. */
  readonly attempts: number;
  /** Milliseconds of the database's clock. */
  readonly firstAt: number;
}
