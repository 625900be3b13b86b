import type { Awaitable, Logger } from "@framework/core";
import { type Clock, type HostInsight, keepAlive } from "@framework/core/feature";

/** A part of the kernel with a lifecycle: it begins, drains and stops. */
export interface KernelPart {
  /** Name in messages. */
  readonly name: string;
  /** Begins background work, once the tables exist. Called in the order of `add`. */
  begin?(): Awaitable<void>;
  /** Ends background work, in parallel with the other parts. Must end soon after `deadline` aborts: the stop waits for it. */
  drain?(deadline: AbortSignal): Awaitable<void>;
  /** Frees resources, in reverse order. */
  stop?(): Awaitable<void>;
  /** Publishes metrics and health checks. Called in an app only, before `begin`. */
  report?(insight: HostInsight): void;
}

/** Time to drain when `stop` is called without a previous `drain`. */
const STOP_GRACE_MS = 5000;

/** Lifecycle of one kernel: begin, drain, stop. Each runs once, and `stop` stops exactly the parts that have begun. */
export class KernelLife {
  private readonly parts: KernelPart[] = [];
  private readonly clock: () => Clock;
  private readonly log: () => Pick<Logger, "error">;
  private begunCount = 0;
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

  async begin(): Promise<void> {
    if (this.hasBegun) return;
    this.hasBegun = true;
    for (const part of this.parts) {
      this.begunCount++;
      await part.begin?.();
    }
  }

  /** Never rejects: the failure of a part is logged. */
  drain(deadline: AbortSignal): Promise<void> {
    const parts = this.parts.slice(0, this.begunCount);
    const drain = async (part: KernelPart): Promise<void> => {
      await this.attempt(part, "drain", () => part.drain?.(deadline));
    };
    return (this.draining ??= Promise.all(parts.map(drain)).then(() => {}));
  }

  /** Drains with a deadline of 5 s, unless a drain has started, and stops all parts. Never rejects. */
  stop(): Promise<void> {
    return (this.stopping ??= this.stopAll());
  }

  private async stopAll(): Promise<void> {
    const grace = new AbortController();
    const cancel = this.clock().after(STOP_GRACE_MS, () =>
      grace.abort(new Error("the time to drain has passed")),
    );
    await this.drain(grace.signal);
    cancel();
    for (const part of this.parts.slice(0, this.begunCount).toReversed()) {
      await this.attempt(part, "stop", () => part.stop?.());
    }
    this.release?.();
  }

  private async attempt({ name }: KernelPart, phase: string, act: () => Awaitable<void>): Promise<void> {
    try {
      await act();
    } catch (error) {
      this.log().error(`durable: the ${phase} of ${name} failed`, { error });
    }
  }
}
