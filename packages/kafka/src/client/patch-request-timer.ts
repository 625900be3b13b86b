/** The only version whose inside is known: in another one the method may do something else. */
export const PATCHED_VERSION = "2.2.4";

/** Time between two looks at requests that wait for others to be answered. */
const LOOK_MS = 10;

/** What the patch needs of kafkajs' queue of requests. */
interface RequestQueue {
  scheduleRequestTimeoutCheck(): void;
  readonly pending: readonly unknown[];
  readonly throttledUntil: number;
  throttleCheckTimeoutId: NodeJS.Timeout | null;
  readonly requestTimeoutIntervalId: NodeJS.Timeout | null;
  checkPendingRequests(): void;
}

/**
 * Replaces the method of kafkajs that arms a timer with a negative time while nothing is pending: Node warns of it, and it fires every millisecond.
 * The interval that looks for late requests stays behind when a connection breaks while it is made; it no longer keeps the process alive.
 *
 * @returns whether the version of kafkajs is the one that has the fault
 */
export const patchRequestTimer = (require: (id: string) => unknown): boolean => {
  const { version } = require("kafkajs/package.json") as { readonly version: string };
  if (version !== PATCHED_VERSION) return false;
  const queue = require("kafkajs/src/network/requestQueue/index.js") as {
    readonly prototype: RequestQueue;
  };
  const look = queue.prototype.scheduleRequestTimeoutCheck;
  Reflect.set(queue.prototype, "scheduleRequestTimeoutCheck", function (this: RequestQueue): void {
    look.call(this);
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
      throttledMs > 0 ? throttledMs : LOOK_MS,
    );
  });
  return true;
};
