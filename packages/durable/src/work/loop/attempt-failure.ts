import { type Failure, failureOf } from "../../parked/failure.ts";
import { attemptLost } from "../queue/work-errors.ts";
import type { WorkStore } from "../table/work-store.ts";
import type { Attempt } from "./attempt.ts";

/** A failure as its item keeps it for the next attempt. */
interface AttemptFailure extends Failure {
  /** Number of the attempt that failed. */
  readonly attempt: number;
}

/** A failure that an item keeps: of an attempt, or of an item that gave up and waits for room among the parked ones. */
type KeptFailure = Failure & { readonly attempt?: number; readonly gaveUpAfter?: number };

/** Returns the JSON of the failure of an attempt that others follow. */
export const attemptFailureText = (error: unknown, { row }: Attempt): string =>
  JSON.stringify({ ...failureOf(error), attempt: row.attempts } satisfies AttemptFailure);

/** Returns why the attempt before this one failed: when the item keeps no failure of it, its process was lost. */
export const lastFailureOf = async (
  { id, row }: Attempt,
  { reading }: Pick<WorkStore, "reading">,
): Promise<Failure> => {
  const last = row.attempts - 1;
  const stored = JSON.parse((await reading.errorOf(id)) ?? "{}") as KeptFailure;
  const { attempt, gaveUpAfter, ...failure } = stored;
  return attempt === last || gaveUpAfter !== undefined ? failure : failureOf(attemptLost(last));
};
