import type { Transaction } from "@framework/database";
import type { NewRow } from "./table/enqueueing.ts";

/** Adds work to queues that this process need not define, for features that serialise work themselves. */
export interface RawWork {
  /** Adds the table of queues, so that queues can be defined after the start. @throws DURABLE_ALREADY_STARTED */
  useTable(): void;
  /** Adds rows to a queue, and wakes its workers. */
  add(queue: string, rows: readonly NewRow[], tx?: Transaction): Promise<void>;
}
