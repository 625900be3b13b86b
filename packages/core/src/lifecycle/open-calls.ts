import type { Logger } from "../log/logger.ts";
import { timesOut } from "./deadline.ts";

/** A call of `app.fetch` that a stop waits for. */
export interface OpenCall {
  /** Aborts the request of the call. */
  cut(): void;
}

/** Calls of `app.fetch` in progress. A call ends when its reply is complete; the body of the reply counts only while it is read. */
export class OpenCalls {
  private readonly open: Set<OpenCall> = new Set();
  private idle: PromiseWithResolvers<void> | null = null;

  /** Registers a call; a second registration has no effect. */
  add(call: OpenCall): void {
    this.open.add(call);
  }

  remove(call: OpenCall): void {
    this.open.delete(call);
    if (this.open.size === 0) this.idle?.resolve();
  }

  /** Waits until no call is open; after `limitMs` it aborts and logs the rest. Resolves to whether all ended in time. */
  async untilIdle(limitMs: number, log: Logger): Promise<boolean> {
    if (this.open.size === 0) return true;
    this.idle ??= Promise.withResolvers<void>();
    if (!(await timesOut(this.idle.promise, limitMs))) return true;
    log.error("the drain passed its deadline; calls of fetch were cut", { cut: this.open.size });
    for (const call of this.open) call.cut();
    return false;
  }
}
