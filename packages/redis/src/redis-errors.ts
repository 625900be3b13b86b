import { FrameworkError, HttpError } from "@framework/core";
import { messageOf, SharedStateUnavailableError } from "@framework/core/feature";

/** 503 with `Retry-After`: Redis is unreachable, did not reply in time, or disconnected, or too many commands wait. The command may have had an effect. */
export class RedisUnavailableError extends HttpError {
  override readonly name = "RedisUnavailableError";
  /** The reason, for the log; clients see only that Redis is not available. */
  readonly reason: string;

  constructor(reason: string, cause?: unknown) {
    super(503, "Redis is not available", {
      code: "REDIS_UNAVAILABLE",
      headers: { "retry-after": "1" },
      retry_after: 1,
      cause: cause ?? new Error(reason),
    });
    this.reason = reason;
  }
}

/** Errors of a temporarily unavailable server; the command had no effect. */
const TEMPORARY = /^(CLUSTERDOWN|LOADING|MASTERDOWN|READONLY|TRYAGAIN|NOREPLICAS)\b/;

/** Converts an error of ioredis to a `RedisUnavailableError`. Errors of the framework, and error replies that are not temporary, are unchanged. */
export const toRedisError = (error: Error): Error => {
  if (FrameworkError.is(error)) return error;
  if (error.name === "ReplyError" && !TEMPORARY.test(error.message)) return error;
  return new RedisUnavailableError(error.message, error);
};

/** Runs a call of the shared state. Errors become a `SharedStateUnavailableError`, except those with a `CORE_` code. */
export const orUnavailable = async <T>(call: () => Promise<T>): Promise<T> => {
  try {
    return await call();
  } catch (error) {
    throw FrameworkError.is(error) && error.code.startsWith("CORE_") ? error : stateUnavailable(error);
  }
};

const stateUnavailable = (cause: unknown): FrameworkError =>
  new SharedStateUnavailableError(`Redis did not answer (${messageOf(cause)})`, cause);
