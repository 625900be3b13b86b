import { FrameworkError } from "@framework/core";
import type { AppLike } from "../app/app-like.ts";
import type { DeadlineClock } from "../frame/terminal.ts";

/** Deadline of a reply and its body. */
export interface Deadline extends Disposable {
  /** Aborts at the deadline, with CLI_BAD_REPLY. */
  readonly signal: AbortSignal;
}

export const startDeadline = (timeoutSecs: number, clock: DeadlineClock): Deadline => {
  const controller = new AbortController();
  const timeoutError = new FrameworkError("CLI_BAD_REPLY", `no reply within ${timeoutSecs} s`);
  const cancel = clock.after(timeoutSecs * 1000, () => controller.abort(timeoutError));
  return { signal: controller.signal, [Symbol.dispose]: cancel };
};

/** Resolves with the app's reply. @throws CLI_BAD_REPLY at the deadline */
export const fetchReply = (app: AppLike, request: Request, { signal }: Deadline): Promise<Response> => {
  const { promise, reject } = Promise.withResolvers<never>();
  signal.addEventListener("abort", () => reject(signal.reason), { once: true });
  return Promise.race([app.fetch(request), promise]);
};

/** Reads a reply's body until `take` returns false or the deadline passes. Resolves with true if the whole body was read. */
export const readBody = async (
  { body }: Response,
  { signal }: Deadline,
  take: (part: Uint8Array) => boolean,
): Promise<boolean> => {
  if (body === null) return true;
  const reader = body.getReader();
  // Not awaited: the app may wait forever for its next chunk, and closes its stream only then.
  const cancel = (): void => void reader.cancel().catch(() => {}); // the rest is not printed
  signal.addEventListener("abort", cancel, { once: true });
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return !signal.aborted;
    if (take(value)) continue;
    cancel();
    return false;
  }
};
