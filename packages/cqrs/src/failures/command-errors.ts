import { FrameworkError, HttpError, type ValidationIssue } from "@framework/core";

/** State of the changes of a command that timed out. `unknown`: its commit was in progress; retry only with the same idempotency key. */
export type TimeoutOutcome = "rolled-back" | "unknown";

/** 504: a command exceeded its time limit. Unless its outcome is unknown, it was rolled back. */
export class CommandTimeoutError extends HttpError {
  override readonly name = "CommandTimeoutError";
  /** State of the command's changes. */
  readonly outcome: TimeoutOutcome;

  constructor(timeoutMs: number, outcome: TimeoutOutcome, cause?: unknown) {
    super(504, `The command took longer than ${timeoutMs} ms`, {
      code: "CQRS_TIMEOUT",
      outcome,
      ...(cause !== undefined && { cause }),
    });
    this.outcome = outcome;
  }
}

/** 504: a query exceeded its time limit. */
export class QueryTimeoutError extends HttpError {
  override readonly name = "QueryTimeoutError";

  constructor(timeoutMs: number) {
    super(504, `The query took longer than ${timeoutMs} ms`, { code: "CQRS_TIMEOUT" });
  }
}

/**
 * 409: the data that a handler read has changed. The command is retried with fresh state, up to `maxRetries` times; then the caller gets the error.
 *
 * @example
 * const { changes } = await tx.execute`UPDATE books SET stock = ${stock}, version = ${version + 1} WHERE id = ${id} AND version = ${version}`;
 * if (changes === 0) throw new VersionConflictError();
 */
export class VersionConflictError extends HttpError {
  override readonly name = "VersionConflictError";

  constructor(detail = "The data was changed meanwhile") {
    super(409, detail, { code: "CQRS_CONFLICT" });
  }
}

/** 503: the connection was lost during the commit. */
export const outcomeUnknown = (cause: unknown): HttpError =>
  new HttpError(503, "The outcome of the command is unknown; repeat it only with the same idempotency key", {
    code: "CQRS_OUTCOME_UNKNOWN",
    outcome: "unknown",
    cause,
  });

/** 503: the projections did not contain the events of a token in time. */
export const notFresh = (): HttpError =>
  new HttpError(503, "The data does not contain the latest changes yet", {
    code: "CQRS_NOT_FRESH",
    headers: { "retry-after": "1" },
    retry_after: 1,
  });

/** 503: too many calls are running or waiting. */
export const tooBusy = (reason: string): HttpError =>
  new HttpError(503, "Too many requests are waiting", {
    code: "CQRS_BUSY",
    headers: { "retry-after": "1" },
    retry_after: 1,
    cause: new Error(`cqrs: ${reason}`),
  });

/** Creates the error of a handler whose return value does not match its result schema: a bug of the program. */
export const badOutput = (operation: string, issues: readonly ValidationIssue[]): FrameworkError => {
  const list = issues.map(({ loc, msg }) => `${loc.slice(1).join(".")}: ${msg}`).join("; ");
  return new FrameworkError(
    "CQRS_BAD_OUTPUT",
    `cqrs: the handler of ${operation} returned an invalid value: ${list}`,
  );
};
