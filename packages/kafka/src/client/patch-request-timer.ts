/** The only version that is patched, because patches depend on its internals. */
export const PATCHED_VERSION = "2.2.4";

/** Delay of a check for pending requests. */
const CHECK_MS = 10;

/** Members of kafkajs' `RequestQueue` that the patch uses. */
interface RequestQueue {
  scheduleRequestTimeoutCheck(): void;
  readonly pending: readonly unknown[];
  readonly throttledUntil: number;
  throttleCheckTimeoutId: NodeJS.Timeout | null;
  readonly requestTimeoutIntervalId: NodeJS.Timeout | null;
  checkPendingRequests(): void;
}

/**
 * Patches the method of kafkajs that sets a timer with a negative delay while no request is pending: Node warns, and the timer fires every millisecond.
 * Also unrefs the interval that checks request timeouts: it leaks if a connection fails while connecting, and would keep the process alive.
 *
 * @returns whether kafkajs has the patched version
 */
export const patchRequestTimer = (require: (id: string) => unknown): boolean => {
  const { version } = require("kafkajs/package.json") as { readonly version: string };
  if (version !== PATCHED_VERSION) return false;
  const queue = require("kafkajs/src/network/requestQueue/index.js") as {
    readonly prototype: RequestQueue;
  };
  const schedule = queue.prototype.scheduleRequestTimeoutCheck;
  Reflect.set(queue.prototype, "scheduleRequestTimeoutCheck", function (this: RequestQueue): void {
    schedule.call(this);
    this.requestTimeoutIntervalId?.unref();
  });
  Reflect.set(queue.prototype, "scheduleCheckPendingRequests", function (this: RequestQueue): void {
    if (this.throttleCheckTimeoutId !== null || this.pending.length === 0) return;
    const throttledMs = this.throttledUntil - Date.now();
    this.throttleCheckTimeoutId = setTimeout(
      () => {
        this.throttleCheckTimeoutId = null;
        this.checkPendingRequests();
      },
      throttledMs > 0 ? throttledMs : CHECK_MS,
    );
  });
  return true;
};
