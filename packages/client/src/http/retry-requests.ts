import { ConfigurationError, FrameworkError, retry, type RetryOptions } from "@framework/core";
import { parseHttpDate } from "@framework/core/http";
import { ClientError } from "./client-error.ts";
import { isRepeatable, type OutgoingMiddleware, type OutgoingRequest } from "./outgoing-request.ts";

/** Options of `retryRequests`: options of `retry`, and the retried statuses. */
export interface RetryRequestsOptions extends Pick<
  RetryOptions<OutgoingRequest, Response>,
  "policy" | "clock" | "random"
> {
  /** Statuses after which a request is retried. @default [429, 502, 503, 504] */
  readonly statuses?: readonly number[];
  /** Returns the current time in Unix milliseconds, for a `Retry-After` that is a date. @default Date.now */
  readonly now?: () => number;
}

/** Codes of errors after which a request is not retried, in addition to refusals by the client. */
const neverRetried: ReadonlySet<string> = new Set(["CLIENT_TOO_MANY_REDIRECTS", "BREAKER_OPEN"]);

/**
 * Returns middleware that retries a request after a lost connection, a timeout, or a status such as 503: `retry` of core with the rules of HTTP.
 *
 * Only requests with an idempotent method or an `Idempotency-Key` are repeated, and none with a stream as its body. `Retry-After` is respected: a wait above
 * the policy's `maxDelayMs` ends the attempts.
 *
 * @example
 * const stock = httpClient({ baseUrl: "https://stock.example", use: [retryRequests({ policy: { attempts: 4 } })] });
 * @throws ConfigurationError CORE_BAD_CONFIG for a bad policy or list of statuses
 */
export const retryRequests = ({
  statuses = [429, 502, 503, 504],
  now = Date.now,
  ...options
}: RetryRequestsOptions = {}): OutgoingMiddleware => {
  if (!Array.isArray(statuses) || !statuses.every(isStatus))
    throw new ConfigurationError([
      { code: "CORE_BAD_CONFIG", message: "the option statuses of retryRequests must be a list of statuses" },
    ]);
  const withRetries = retry<OutgoingRequest, Response>({
    ...options,
    isFailure: (reply, request) => isRepeatable(request) && statuses.includes(reply.status),
    isFailingError: (error, request) =>
      isRepeatable(request) &&
      !request.signal.aborted &&
      !(error instanceof ClientError && error.isRefusal) &&
      !(FrameworkError.is(error) && neverRetried.has(error.code)),
    retryAfterMs: (reply) => retryAfterMs(reply.headers.get("retry-after"), now()),
  });
  return function retryRequests(request, next) {
    return withRetries(request, (each) => next(withOwnAbort(each)));
  };
};

const isStatus = (value: unknown): boolean =>
  Number.isInteger(value) && (value as number) >= 100 && (value as number) <= 599;

/** Gives each attempt its own signal: inner middleware such as `timeout` must not abort later attempts. */
const withOwnAbort = (request: OutgoingRequest): OutgoingRequest => {
  const own = new AbortController();
  const signal = AbortSignal.any([request.signal, own.signal]);
  return { ...request, signal, abort: (reason) => own.abort(reason) };
};

/** Returns the milliseconds of a `Retry-After` field (RFC 9110 10.2.3), without an upper limit; `null` for a malformed field. */
const retryAfterMs = (field: string | null, nowMs: number): number | null => {
  if (field === null) return null;
  if (/^\d+$/.test(field)) return Number(field) * 1000;
  const dateMs = parseHttpDate(field);
  return dateMs === null ? null : Math.max(0, dateMs - nowMs);
};
