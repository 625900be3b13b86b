import { FrameworkError } from "@framework/core";
import type { AppLike } from "../app/app-like.ts";
import type { DeadlineClock } from "../frame/terminal.ts";

/** The time that a command gives a reply with its body. */
export interface Deadline extends Disposable {
  /** Aborts when the time is over, with CLI_BAD_REPLY. */
  readonly signal: AbortSignal;
}

export const startDeadline = (timeoutSecs: number, clock: DeadlineClock): Deadline => {
  const controller = new AbortController();
  const late = new FrameworkError("CLI_BAD_REPLY", `no reply within ${timeoutSecs} s`);
  const cancel = clock.after(timeoutSecs * 1000, () => controller.abort(late));
  return { signal: controller.signal, [Symbol.dispose]: cancel };
};

/** Resolves with the app's reply. @throws CLI_BAD_REPLY when it takes too long */
export const answer = (app: AppLike, request: Request, { signal }: Deadline): Promise<Response> => {
  const { promise, reject } = Promise.withResolvers<never>();
  signal.addEventListener("abort", () => reject(signal.reason), { once: true });
  return Promise.race([app.fetch(request), promise]);
};

/** Reads a reply's body until `take` returns false or the time is over. Resolves with whether that was the whole body. */
export const readBody = async (
  { body }: Response,
  { signal }: Deadline,
  take: (part: Uint8Array) => boolean,
): Promise<boolean> => {
  if (body === null) return true;
  const reader = body.getReader();
  // Not awaited: the app may wait for its next part for ever, and ends its stream only after that.
  const leave = (): void => void reader.cancel().catch(() => {}); // nothing more of it is printed
  signal.addEventListener("abort", leave, { once: true });
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return !signal.aborted;
    if (take(value)) continue;
    leave();
    return false;
  }
};
