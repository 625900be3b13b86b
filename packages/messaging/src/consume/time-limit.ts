import type { Clock } from "@framework/core/feature";
import { isPromise } from "@framework/core/feature";
import type { Awaitable } from "@framework/core";
import { messagingError } from "../errors/messaging-error.ts";
import { MIN_PATIENCE_MS } from "../limits.ts";
import type { Outcome } from "../message/outcome.ts";
import type { Entry } from "./entry.ts";

/** Limits of one try. */
export interface TimeLimits {
  readonly clock: Clock;
  readonly timeoutMs: number;
  /** Called when a handler that ignores its signal has been given up. */
  readonly abandoned: () => void;
}

/**
 * Gives a try its time limit. At the limit the signals of its entries abort, and the try has failed whatever the handler does; another one begins when the
 * handler has returned, or after the same time again (at least 10 s).
 */
export const limitTime = (
  entries: readonly Entry[],
  outcomes: Awaitable<readonly Outcome[]>,
  { clock, timeoutMs, abandoned }: TimeLimits,
): Awaitable<readonly Outcome[]> => {
  if (!isPromise(outcomes)) return outcomes;
  const { promise, resolve } = Promise.withResolvers<readonly Outcome[]>();
  let timeout: Outcome | null = null;
  let cancel = clock.after(timeoutMs, () => {
    const error = messagingError("MESSAGING_TIMEOUT", `a handler took longer than ${timeoutMs} ms`);
    const failed: Outcome = (timeout = { kind: "retry", error, delayMs: null });
    for (const entry of entries) entry.abort(error);
    cancel = clock.after(Math.max(timeoutMs, MIN_PATIENCE_MS), () => {
      for (const entry of entries) entry.isStuck = true;
      abandoned();
      resolve(entries.map(() => failed));
    });
  });
  const returned = (settled: readonly Outcome[]): void => {
    cancel();
    for (const entry of entries) entry.isStuck = false;
    const failed = timeout;
    resolve(failed === null ? settled : entries.map(() => failed));
  };
  outcomes.then(returned, (error: unknown) =>
    returned(entries.map(() => ({ kind: "retry", error, delayMs: null }))),
  );
  return promise;
};
