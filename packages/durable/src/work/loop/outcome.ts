import type { Settlement } from "../table/settling.ts";
import type { Ended } from "../table/turnover.ts";
import type { Attempt } from "./attempt.ts";

/** The outcome of an attempt, on its way into the table. */
export interface Outcome {
  readonly queue: string;
  readonly attempt: Attempt;
  /** How it is written: with others that are alike in one statement, or by a function of its own, which returns whether the item was held. */
  readonly write: "remove" | Omit<Settlement, "id" | "fence"> | (() => Promise<boolean>);
  /** Called once it is in the table, with `false` if the item was not held any more: the outcome was refused. */
  readonly written: (isHeld: boolean) => void;
}

/** Most outcomes of one statement, and most text: the longest string of JavaScript has half a GiB. */
const MAX_BATCH = 1000;
const MAX_BATCH_LENGTH = 16_777_216;

/** Removes the first outcomes from those that wait, as many as fit one statement. */
export const takeBatch = (waiting: Outcome[]): Outcome[] => waiting.splice(0, batchSize(waiting));

/** Whether one statement may write the outcomes beside a claim. */
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

/** Whether an outcome is the end of an item without a key, and with nothing to write before. */
export const isPlain = ({ attempt, write }: Outcome): boolean =>
  attempt.row.key === null &&
  attempt.progress === null &&
  (write === "remove" || (typeof write === "object" && write.state === "done"));

/** Whether one statement can write both. */
export const isAlike = (one: Outcome, other: Outcome): boolean =>
  (one.write === "remove") === (other.write === "remove");

/** Returns outcomes that are alike as one change of the table. */
export const endedOf = (outcomes: readonly Outcome[]): Ended =>
  outcomes[0]?.write === "remove"
    ? { remove: outcomes.map(({ attempt }) => attempt) }
    : { settle: outcomes.map(toSettlement) };

/** Writes an outcome by its own function. Returns its id if the item was held. */
export const writeAlone = async ({ attempt, write }: Outcome): Promise<ReadonlySet<number>> =>
  new Set(typeof write === "function" && (await write()) ? [attempt.id] : []);

/** Whether another attempt follows. */
export const isAnotherAttempt = (write: Outcome["write"]): boolean =>
  typeof write === "object" && (write.state === "waiting" || write.state === "ready");
