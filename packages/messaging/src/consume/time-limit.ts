import type { Clock } from "@framework/core/feature";
import { messagingError } from "../errors/messaging-error.ts";
import { MIN_GRACE_MS } from "../limits.ts";
import type { Outcome, Outcomes } from "../message/outcome.ts";
import { outcomeOfThrown } from "../message/outcome-of-thrown.ts";
import type { Entry } from "./entry.ts";

/** Limits of one try. */
export interface TimeLimits {
  readonly clock: Clock;
  readonly timeoutMs: number;
  /** Called when a handler that ignores its signal is abandoned. */
  readonly onAbandoned: () => void;
}

/**
 * Limits the time of a try, except while only replies are being sent, and calls `onEnded` with its outcomes, or with one outcome for all entries. At the limit
 * the signals of the entries abort, and the try counts as failed, whatever the handler returns. `onEnded` is called when the handler returns; if it
 * ignores its signal, after `timeoutMs` once more, at least 10 s.
 */
export const limitTime = (
  entries: readonly Entry[],
  outcomes: Promise<Outcomes>,
  { clock, timeoutMs, onAbandoned }: TimeLimits,
  onEnded: (outcomes: Outcomes) => void,
): void => {
  let timeout: Outcome | null = null;
  let isAbandoned = false;
  const graceMs = Math.max(timeoutMs, MIN_GRACE_MS);
  const expire = (): void => {
    if (entries.every(({ isHandled }) => isHandled)) {
      cancel = clock.after(graceMs, expire); // a middleware may hang after the reply
      return;
    }
    const error = messagingError("MESSAGING_TIMEOUT", `a handler took longer than ${timeoutMs} ms`);
    const failed: Outcome = (timeout = { kind: "retry", error, delayMs: null });
    for (const entry of entries) entry.abort(error);
    cancel = clock.after(graceMs, () => {
      for (const entry of entries) entry.isStuck = true;
      isAbandoned = true;
      onAbandoned();
      onEnded(failed);
    });
  };
  let cancel = clock.after(timeoutMs, expire);
  const returned = (settled: Outcomes): void => {
    cancel();
    for (const entry of entries) entry.isStuck = false;
    if (!isAbandoned) onEnded(timeout ?? settled);
  };
  outcomes.then(returned, (error: unknown) => returned(outcomeOfThrown(error)));
};
