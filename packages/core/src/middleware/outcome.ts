import { FrameworkError } from "../errors/framework-error.ts";

/** Statuses that count as failures by default. */
export const failureStatuses: readonly number[] = [500, 502, 503, 504];

/** Returns the `status` of an output, 0 without one. */
export const statusOf = (output: unknown): number =>
  typeof output === "object" && output !== null && "status" in output && typeof output.status === "number"
    ? output.status
    : 0;

/**
 * Whether an error counts as a failure of the callee. Three kinds do not: an AbortError, an error of a call that its caller has ended (the client disconnected,
 * or the input's signal aborted for a reason other than a timeout), and an error with `isRefusal`, because the call was never made.
 */
export const isFailureOfCallee = (error: unknown, input?: unknown): boolean =>
  !isCancellation(error) && !isRefusal(error) && !isEndedByCaller(input);

const isCancellation = (error: unknown): boolean =>
  (Error.isError(error) && error.name === "AbortError") ||
  (FrameworkError.is(error) && error.code === "CORE_CLIENT_DISCONNECTED");

const isRefusal = (error: unknown): boolean =>
  FrameworkError.is(error) && "isRefusal" in error && error.isRefusal === true;

/** A timeout aborts the input too, but then the callee was slow. */
const isEndedByCaller = (input: unknown): boolean => {
  const signal = signalOf(input);
  return signal?.aborted === true && !isTimeout(signal.reason);
};

const isTimeout = (reason: unknown): boolean =>
  statusOf(reason) === 504 || (Error.isError(reason) && reason.name === "TimeoutError");

/** Cancels the unread body of a discarded output. */
export const discardBody = (output: unknown): void => {
  const stream = streamOf(output) as { cancel?: () => unknown } | null | undefined;
  if (typeof stream !== "object" || typeof stream?.cancel !== "function") return;
  free(stream, () => stream.cancel?.());
};

/** Calls a function that frees a discarded output, synchronously or not; its errors are ignored, because the output is not used. */
export const free = <Out>(output: Out, discard: (output: Out) => unknown): void => {
  new Promise((resolve) => resolve(discard(output))).catch(() => {});
};

/** Returns the `payload` of this framework's replies, the `body` of others. */
const streamOf = (output: unknown): unknown => {
  if (typeof output !== "object" || output === null) return null;
  if ("payload" in output) return output.payload;
  return "body" in output ? output.body : null;
};

/** Returns the signal of an input that has one, such as a request. */
export const signalOf = (input: unknown): AbortSignal | undefined =>
  typeof input === "object" && input !== null && "signal" in input && input.signal instanceof AbortSignal
    ? input.signal
    : undefined;

/** Aborts an input that can be aborted, such as a request. */
export const abortInput = (input: unknown, reason: Error): void => {
  if (typeof input === "object" && input !== null && "abort" in input && typeof input.abort === "function")
    input.abort(reason);
};
