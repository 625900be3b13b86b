import type { Transaction } from "@framework/database";
import type { NewRow } from "./table/enqueueing.ts";

/** Adds work to queues of other processes, for features that serialise work themselves. */
export interface RawWork {
  /** Adds the table of queues, so that queues can be defined after the start. @throws DURABLE_ALREADY_STARTED */
  useTable(): void;
  /** Adds rows to a queue, which this process need not have defined, and wakes its workers. */
  add(queue: string, rows: readonly NewRow[], tx?: Transaction): Promise<void>;
}
