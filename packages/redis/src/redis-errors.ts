import { FrameworkError, HttpError } from "@framework/core";

/** 503 with `Retry-After`: Redis cannot be reached, gave no answer in time, or broke off. Whether the command took effect is unknown. */
export class RedisUnavailableError extends HttpError {
  override readonly name = "RedisUnavailableError";
  /** What happened, for the log; the reply says only that Redis is not available. */
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

/** Refusals of a server that cannot work at present; nothing was done. */
const notNow = /^(CLUSTERDOWN|LOADING|MASTERDOWN|READONLY|TRYAGAIN|NOREPLICAS)\b/;

/** What callers see of an error of ioredis: what the server said of a command as it is, everything else as `RedisUnavailableError`. */
export const toRedisError = (error: Error): Error => {
  if (FrameworkError.is(error)) return error;
  if (error.name === "ReplyError" && !notNow.test(error.message)) return error;
  return new RedisUnavailableError(error.message, error);
};

/** Runs a call of the shared state; a failure of Redis becomes CORE_SHARED_STATE_UNAVAILABLE. */
export const orUnavailable = async <T>(call: () => Promise<T>): Promise<T> => {
  try {
    return await call();
  } catch (error) {
    throw FrameworkError.is(error) && error.code.startsWith("CORE_") ? error : stateUnavailable(error);
  }
};

const stateUnavailable = (cause: unknown): FrameworkError => {
  const reason = cause instanceof Error ? cause.message : String(cause);
  return new FrameworkError(
    "CORE_SHARED_STATE_UNAVAILABLE",
    `shared state: Redis gave no answer (${reason}); whether the call took effect is unknown`,
    { cause },
  );
};
