import type { HttpRequest, Invocation } from "@framework/core";
import { bodyWait, type ProtectedEntry } from "@framework/core/feature";
import type { AdaptiveLimit } from "./adaptive-limit.ts";

/** Records the outcome of a request or call as a load signal. */
export type RecordEnd<Out> = (outcome: Out) => void;

/** The status of an unknown method, which a client can choose. */
const NOT_IMPLEMENTED = 501;
/** The status of a cancelled call. */
const CANCELLED = 499;
const DEADLINE = 504;

const isFailure = (status: number): boolean => status >= 500 && status !== NOT_IMPLEMENTED;

/**
 * Starts to measure an admitted request: the time of the app, without the wait for the client's body. Outcomes that a client can cause alone do not count as
 * failures, so that one client cannot lower the limit of other clients.
 */
export const requestLoad = (
  { now, signals }: AdaptiveLimit,
  request: HttpRequest,
): RecordEnd<{ readonly status: number }> => {
  signals.recordAdmission();
  const wait = bodyWait(request, now);
  const startedAt = now();
  return ({ status }) => {
    const latencyMs = now() - startedAt - wait.ms;
    signals.recordOutcome(latencyMs, isFailure(status) && !isCausedByClient(request, status));
  };
};

const isCausedByClient = (request: HttpRequest, status: number): boolean => {
  if (status === 504 && ONLY_IF_CACHED.test(request.getHeader("cache-control") ?? "")) return true;
  let isGone = false;
  request.onEnd((end) => (isGone = end === "aborted")); // called immediately if it has ended
  return isGone;
};

/** Directive of a request that accepts only a cached reply, else 504 (RFC 9111 5.2.1.7). */
const ONLY_IF_CACHED = /\bonly-if-cached\b/i;

/** Like `requestLoad`, for a call of another entry point. The duration of a call with a message stream depends on its client: only its failure counts. */
export const callLoad = (
  { now, signals }: AdaptiveLimit,
  call: Invocation,
  entry: ProtectedEntry,
): RecordEnd<unknown> => {
  signals.recordAdmission();
  const startedAt = now();
  return (outcome) => {
    const isStream = entry.streams?.has(call.name) === true;
    const failed = isFailure(entry.statusOf(outcome)) && !isEndedByClient(call, entry);
    signals.recordOutcome(isStream ? null : now() - startedAt, failed);
  };
};

/** Whether the client cancelled the call, or its deadline, which the client may have set, has passed. The latency of a slow call still counts. */
const isEndedByClient = ({ signal }: Invocation, entry: ProtectedEntry): boolean => {
  if (!signal.aborted) return false;
  const status = entry.statusOf(signal.reason);
  return status === CANCELLED || status === DEADLINE;
};
