/** Resolves after `ms` milliseconds, or earlier when the signal aborts. */
export const pause = (ms: number, signal?: AbortSignal): Promise<void> => {
  const { promise, resolve } = Promise.withResolvers<void>();
  const done = (): void => {
    clearTimeout(timer);
    signal?.removeEventListener("abort", done);
    resolve();
  };
  const timer = setTimeout(done, ms);
  signal?.addEventListener("abort", done);
  if (signal?.aborted === true) done();
  return promise;
};
