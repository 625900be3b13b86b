import type { Logger } from "@framework/core";
import { type Clock, messageOf, systemClock, throttledLog } from "@framework/core/feature";
import { CommitUnknownError, DatabaseUnavailableError } from "./database-errors.ts";

/** Minimum time between two lines with the same reason. */
const EVERY_MS = 1000;

/** Maximum number of remembered reasons; when it is exceeded, all are forgotten. */
const MAX_REASONS = 100;

/** Logs the reasons of 503 errors, which replies do not contain: one line per reason and second, with the number of omitted lines. */
export class ReasonLog {
  private readonly log: () => Logger | null;
  private readonly clock: Pick<Clock, "now">;
  private readonly reasons = new Map<string, ReturnType<typeof throttledLog>>();
  private readonly logged = new WeakSet<object>();

  constructor(log: () => Logger | null, clock: Pick<Clock, "now"> = systemClock) {
    this.log = log;
    this.clock = clock;
  }

  /** Logs an error once, if it is a 503 of this package. */
  recordError(error: unknown): void {
    if (!Error.isError(error) || this.logged.has(error)) return;
    this.logged.add(error);
    if (error instanceof DatabaseUnavailableError)
      this.write("the database is not available", { reason: error.reason });
    else if (error instanceof CommitUnknownError)
      this.write("the outcome of a commit is unknown", { reason: reasonOf(error.cause) });
  }

  /** Logs a long wait for a connection or lock. */
  recordWait(waitedMs: number): void {
    this.write("waited long for a database connection", {}, { waitedMs: Math.round(waitedMs) });
  }

  private write(
    message: string,
    key: Readonly<Record<string, unknown>>,
    fields: Readonly<Record<string, unknown>> = {},
  ): void {
    this.throttle(`${message}: ${String(key["reason"])}`)((omitted) =>
      this.log()?.warn(message, { ...key, ...fields, ...(omitted === 0 ? {} : { omitted }) }),
    );
  }

  private throttle(reason: string): ReturnType<typeof throttledLog> {
    const known = this.reasons.get(reason);
    if (known !== undefined) return known;
    if (this.reasons.size >= MAX_REASONS) this.reasons.clear();
    const made = throttledLog({ everyMs: EVERY_MS, clock: this.clock });
    this.reasons.set(reason, made);
    return made;
  }
}

const reasonOf = (cause: unknown): string => {
  if (cause instanceof DatabaseUnavailableError) return cause.reason;
  return messageOf(cause);
};
