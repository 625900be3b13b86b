import type { Settlement } from "../table/settling.ts";
import type { EndedAttempts } from "../table/turnover.ts";
import type { Attempt } from "./attempt.ts";

/** The outcome of an attempt, which is to be written. */
export interface Outcome {
  readonly queue: string;
  readonly attempt: Attempt;
  /** How it is written: in one statement with others of the same form, or by its own function, which returns whether the item was held. */
  readonly write: "remove" | Omit<Settlement, "id" | "fence"> | (() => Promise<boolean>);
  /** Called once it has been written, with `false` if it was refused because the item was no longer held. */
  readonly onWritten: (isHeld: boolean) => void;
}

/** Maximum number of outcomes of one statement, and of characters of their JSON: a JavaScript string has at most half a GiB. */
const MAX_BATCH = 1000;
const MAX_BATCH_LENGTH = 16_777_216;

/** Removes and returns the first waiting outcomes, as many as fit in one statement. */
export const takeBatch = (waiting: Outcome[]): Outcome[] => waiting.splice(0, batchSize(waiting));

/** Whether all outcomes fit in one statement. */
export const fitsBatch = (outcomes: readonly Outcome[]): boolean => batchSize(outcomes) === outcomes.length;

const batchSize = (outcomes: readonly Outcome[]): number => {
  let length = 0;
  for (const [at, { write }] of outcomes.entries()) {
    if (typeof write === "object") length += (write.result?.length ?? 0) + (write.error?.length ?? 0);
    if (at === MAX_BATCH || (at > 0 && length > MAX_BATCH_LENGTH)) return at;
  }
  return outcomes.length;
};

/** Returns the settlement of an outcome that has one. */
export const toSettlement = ({ attempt: { id, fence }, write }: Outcome): Settlement => ({
  id,
  fence,
  ...(write as Omit<Settlement, "id" | "fence">),
});

/** Whether an outcome finishes an item that has no key and no unstored progress. */
export const isPlain = ({ attempt, write }: Outcome): boolean =>
  attempt.row.key === null &&
  attempt.progress === null &&
  (write === "remove" || (typeof write === "object" && write.state === "done"));

/** Whether one statement can write both. */
export const canShareStatement = (one: Outcome, other: Outcome): boolean =>
  (one.write === "remove") === (other.write === "remove");

/** Combines outcomes of the same form into one change of the table. */
export const endedOf = (outcomes: readonly Outcome[]): EndedAttempts =>
  outcomes[0]?.write === "remove"
    ? { remove: outcomes.map(({ attempt }) => attempt) }
    : { settle: outcomes.map(toSettlement) };

/** Writes an outcome by its own function. Returns the item's id if it was held. */
export const writeAlone = async ({ attempt, write }: Outcome): Promise<ReadonlySet<number>> =>
  new Set(typeof write === "function" && (await write()) ? [attempt.id] : []);

/** Whether another attempt follows. */
export const isAnotherAttempt = (write: Outcome["write"]): boolean =>
  typeof write === "object" && (write.state === "waiting" || write.state === "ready");
