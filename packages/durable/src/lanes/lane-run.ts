import { retryDelayMs, retryPolicy } from "@framework/core";
import type { KernelBase } from "../base/kernel-base.ts";
import type { LeaseHold } from "../leases/held-lease.ts";
import type { LanesOptions } from "./lane.ts";
import { pause } from "../time/pause.ts";

const restartPolicy = retryPolicy({ attempts: 1000, delayMs: 100, maxDelayMs: 30_000 });

/** Duration of a run after which the backoff is reset. */
const LONG_RUN_MS = 60_000;

/** One lane of this process: calls `LanesOptions.run` repeatedly until the lane is released or lost. */
export class LaneRun {
  readonly lane: number;
  readonly hold: LeaseHold;
  /** Resolves when `LanesOptions.run` has returned for the last time. */
  readonly done: Promise<void>;
  private readonly base: KernelBase;
  private readonly options: LanesOptions;

  constructor(base: KernelBase, options: LanesOptions, lane: number, hold: LeaseHold) {
    this.base = base;
    this.options = options;
    this.lane = lane;
    this.hold = hold;
    this.done = this.repeat();
  }

  /** Whether this process owns the lane and is not releasing it. */
  get isHeld(): boolean {
    return !this.hold.signal.aborted;
  }

  private async repeat(): Promise<void> {
    const { clock, random } = this.base;
    const { signal } = this.hold;
    for (let ends = 1; !signal.aborted; ends++) {
      const began = clock.now();
      await this.runOnce();
      if (clock.now() - began >= LONG_RUN_MS) ends = 1;
      await pause(clock, retryDelayMs(restartPolicy, ends, random()), signal);
    }
  }

  private async runOnce(): Promise<void> {
    const { lane, hold, base, options } = this;
    const { signal, fence } = hold;
    try {
      await options.run({ lane, fence, signal, check: (tx) => hold.check(tx) });
    } catch (error) {
      if (!signal.aborted) base.log.error(`durable: lane ${lane} of "${options.kind}" failed`, { error });
    }
  }
}
