import { FrameworkError, HttpError } from "@framework/core";
import { toError } from "@framework/core/feature";

/**
 * Kind of a failure of a command or query. `rejection`: refused for a reason that the caller gets (4xx except 408, 425 and 429), not retried; `conflict`: another
 * change was committed first; `transient`: may succeed later, as after a timeout, or its caller aborted it; `bug`: anything else.
 */
export type FailureKind = "rejection" | "conflict" | "transient" | "bug";

const transientStatuses: readonly number[] = [408, 425, 429, 503, 504];

/** Classifies an error. Errors of databases and event stores are recognised by their code, so that several copies of a package can coexist. */
export const failureKind = (thrown: unknown): FailureKind => {
  const error = toError(thrown);
  if (isConflict(error)) return "conflict";
  if (isAbort(error) || isGivenUp(error)) return "transient";
  if (!HttpError.is(error)) return "bug";
  if (transientStatuses.includes(error.status)) return "transient";
  return error.status < 500 ? "rejection" : "bug";
};

/** Whether another attempt with fresh state may succeed. */
const isConflict = (error: unknown): boolean => {
  if (!FrameworkError.is(error)) return false;
  if (error.code === "EVENTS_CONFLICT" || error.code === "CQRS_CONFLICT") return true;
  if (error.code === "DATABASE_TRANSACTION_ABORTED") return isConflict(error.cause);
  const { kind } = error as { kind?: unknown };
  return error.code === "DATABASE_STATEMENT_FAILED" && (kind === "serialization" || kind === "deadlock");
};

const givenUpCodes: readonly unknown[] = ["DURABLE_LOST", "DURABLE_RELEASED", "DURABLE_CANCELLED"];

/** Whether an attempt at a queued command has ended because another process took it over, this process stops, or an operator cancelled it. */
const isGivenUp = (error: unknown): boolean => FrameworkError.is(error) && givenUpCodes.includes(error.code);

/** Whether an error is the reason of an aborted signal: one that the caller aborted, or a signal of `AbortSignal.timeout`. */
const isAbort = ({ name }: Error): boolean => name === "AbortError" || name === "TimeoutError";
