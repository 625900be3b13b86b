/** Statuses of outputs that count as failures unless a middleware is given other rules. */
export const failureStatuses: readonly number[] = [500, 502, 503, 504];

/** The `status` of an output that has one, else 0. */
export const statusOf = (output: unknown): number =>
  typeof output === "object" && output !== null && "status" in output && typeof output.status === "number"
    ? output.status
    : 0;

/** Whether an error counts as a failure of the callee: all do but an AbortError, by which a caller gave up. */
export const isFailureOfCallee = (error: unknown): boolean =>
  !(Error.isError(error) && error.name === "AbortError");

/** Frees what an output holds that is dropped: cancels the body of a reply that is still to be read. */
export const discardBody = (output: unknown): void => {
  const stream = streamOf(output) as { cancel?: () => unknown } | null | undefined;
  if (typeof stream !== "object" || typeof stream?.cancel !== "function") return;
  new Promise((resolve) => resolve(stream.cancel?.())).catch(() => {}); // the output is dropped, its errors with it
};

/** The payload of a reply of this framework, the body of any other. */
const streamOf = (output: unknown): unknown => {
  if (typeof output !== "object" || output === null) return null;
  if ("payload" in output) return output.payload;
  return "body" in output ? output.body : null;
};

/** The signal of an input that has one, such as a request. */
export const signalOf = (input: unknown): AbortSignal | undefined =>
  typeof input === "object" && input !== null && "signal" in input && input.signal instanceof AbortSignal
    ? input.signal
    : undefined;

/** Aborts an input that can be aborted, such as a request. */
export const abortInput = (input: unknown, reason: Error): void => {
  if (typeof input === "object" && input !== null && "abort" in input && typeof input.abort === "function")
    input.abort(reason);
};
