import type { Awaitable, Logger } from "@framework/core";
import { aborted, type Clock, type HostInsight, keepAlive } from "@framework/core/feature";
import { pause } from "../time/pause.ts";

/** A part of the kernel with a lifecycle: it begins, drains and stops. */
export interface KernelPart {
  /** Name in messages. */
  readonly name: string;
  /** Begins background work, once the tables exist. Called in the order of `add`. */
  begin?(): Awaitable<void>;
  /** Ends background work, in parallel with the other parts. After `deadline` aborts, the kernel waits 2 s for it at most. */
  drain?(deadline: AbortSignal): Awaitable<void>;
  /** Frees resources, in reverse order; all parts together within 7 s. */
  stop?(): Awaitable<void>;
  /** Publishes metrics and health checks. Called in an app only, before `begin`. */
  report?(insight: HostInsight): void;
}

/** Time to drain when `stop` is called without a previous `drain`. */
const STOP_GRACE_MS = 5000;

/** Time that a part has to end its drain after the deadline. With `STOP_MS` it is below the 10 s of an app's stop task. */
const OVERDUE_MS = 2000;

/** Time to stop all parts: more than the 5 s that lanes allow their runs. A part that is stopped later still has `LAST_STOP_MS`. */
const STOP_MS = 7000;
const LAST_STOP_MS = 100;

/** Lifecycle of one kernel: begin, drain, stop. Each succeeds once, and `stop` stops exactly the parts that have begun. */
export class KernelLife {
  private readonly parts: KernelPart[] = [];
  private readonly clock: () => Clock;
  private readonly log: () => Pick<Logger, "error">;
  /** Number of parts whose `begin` was called, and of parts whose `begin` has ended. */
  private begunCount = 0;
  private readyCount = 0;
  private hasBegun = false;
  private draining: Promise<void> | null = null;
  private stopping: Promise<void> | null = null;
  private release: (() => void) | null = null;

  constructor(clock: () => Clock, log: () => Pick<Logger, "error">) {
    this.clock = clock;
    this.log = log;
  }

  /** Whether the parts have begun and no drain has started. */
  get isRunning(): boolean {
    return this.hasBegun && this.draining === null;
  }

  add(part: KernelPart): void {
    this.parts.push(part);
  }

  report(insight: HostInsight): void {
    for (const part of this.parts) part.report?.(insight);
  }

  /** Keeps the process running until the stop. */
  holdProcess(): void {
    if (this.stopping === null) this.release ??= keepAlive();
  }

  /** Begins the parts in order, except parts whose turn comes after the start of the drain. After a failure, the next call continues with the part that failed. */
  async begin(): Promise<void> {
    if (this.hasBegun) return;
    this.hasBegun = true;
    try {
      for (const [at, part] of this.parts.entries()) {
        if (at < this.readyCount) continue;
        if (this.draining !== null) return;
        this.begunCount = at + 1;
        await part.begin?.();
        this.readyCount = at + 1;
      }
    } catch (error) {
      this.hasBegun = false;
      throw error;
    }
  }

  /** Never rejects: the failure of a part is logged, and so is a part that ends more than 2 s after the deadline. */
  drain(deadline: AbortSignal): Promise<void> {
    const limit = async (ended: AbortSignal): Promise<void> => {
      await aborted(AbortSignal.any([deadline, ended]));
      await pause(this.clock(), OVERDUE_MS, ended);
    };
    const parts = this.parts.slice(0, this.begunCount);
    const drain = (part: KernelPart): Promise<void> =>
      this.attempt(part, "drain", { act: () => part.drain?.(deadline), limit });
    return (this.draining ??= Promise.all(parts.map(drain)).then(() => {}));
  }

  /** Drains with a deadline of 5 s, unless a drain has started, and stops all parts, within 7 s. Never rejects. */
  stop(): Promise<void> {
    return (this.stopping ??= this.stopAll());
  }

  private async stopAll(): Promise<void> {
    const clock = this.clock();
    const grace = new AbortController();
    const cancel = clock.after(STOP_GRACE_MS, () => grace.abort(new Error("the time to drain has passed")));
    await this.drain(grace.signal);
    cancel();
    const endsAt = clock.now() + STOP_MS;
    const limit = (ended: AbortSignal): Promise<void> =>
      pause(clock, Math.max(endsAt - clock.now(), LAST_STOP_MS), ended);
    for (const part of this.parts.slice(0, this.begunCount).toReversed()) {
      await this.attempt(part, "stop", { act: () => part.stop?.(), limit });
    }
    this.release?.();
  }

  /** Resolves when the part has ended, or at the limit. */
  private async attempt({ name }: KernelPart, phase: string, { act, limit }: Bounded): Promise<void> {
    const ended = new AbortController();
    const run = async (): Promise<boolean> => {
      try {
        await act();
      } catch (error) {
        this.log().error(`durable: the ${phase} of ${name} failed`, { error });
      }
      return true;
    };
    const hasEnded = await Promise.race([run(), limit(ended.signal).then(() => false)]);
    ended.abort();
    if (!hasEnded)
      this.log().error(`durable: the ${phase} of ${name} timed out; the shutdown continues without it`);
  }
}

/** A call of a part, and a function that resolves at its limit, or when the call has ended. */
interface Bounded {
  readonly act: () => Awaitable<void>;
  readonly limit: (ended: AbortSignal) => Promise<void>;
}
