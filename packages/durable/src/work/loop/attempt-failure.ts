import { type Failure, failureOf } from "../../parked/failure.ts";
import { attemptLost } from "../queue/work-errors.ts";
import type { WorkStore } from "../table/work-store.ts";
import type { Attempt } from "./attempt.ts";

/** The failure of an attempt, stored with its item. */
interface AttemptFailure extends Failure {
  /** Number of the failed attempt. */
  readonly attempt: number;
}

/** The failure stored with an item: of an attempt, or of an item that gave up and cannot be parked because of `maxParked`. */
type StoredAttemptFailure = Failure & { readonly attempt?: number; readonly gaveUpAfter?: number };

/** Returns the failure of an attempt as JSON, for an item that is retried. */
export const attemptFailureText = (error: unknown, { row }: Attempt): string =>
  JSON.stringify({ ...failureOf(error), attempt: row.attempts } satisfies AttemptFailure);

/** Returns the failure of the previous attempt. If the item has none, or the failure of an earlier attempt, the process was lost in the previous attempt. */
export const lastFailureOf = async (
  { id, row }: Attempt,
  { reading }: Pick<WorkStore, "reading">,
): Promise<Failure> => {
  const last = row.attempts - 1;
  const stored = JSON.parse((await reading.errorOf(id)) ?? "{}") as StoredAttemptFailure;
  const { attempt, gaveUpAfter, ...failure } = stored;
  return attempt === last || gaveUpAfter !== undefined ? failure : failureOf(attemptLost(last));
};
