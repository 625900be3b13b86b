import type { Clock } from "@framework/core/feature";
import type { Consumer } from "../port/broker-adapter.ts";

/** Dependencies of `Pauses`. */
export interface PausesParts {
  readonly clock: Clock;
  readonly consumer: () => Pick<Consumer, "pause" | "resume">;
  /** Called when the last pause has ended. */
  readonly onEnded: () => void;
}

/** Pauses of a subscription by an open circuit, an operator or a stop. While paused, it starts no handler and fetches nothing. */
export class Pauses {
  private readonly parts: PausesParts;
  /** Whether an open circuit has paused the subscription. */
  private isTimed = false;
  /** Whether an operator has paused the subscription. */
  private halted = false;
  private hasStopped = false;
  private cancel: () => void = () => {};

  constructor(parts: PausesParts) {
    this.parts = parts;
  }

  /** Whether no handler may start. */
  get isClosed(): boolean {
    return this.hasStopped || this.isTimed || this.halted;
  }

  /** Whether an operator has paused the subscription. */
  get isHalted(): boolean {
    return this.halted;
  }

  /** Whether no handler starts any more. */
  get isStopped(): boolean {
    return this.hasStopped;
  }

  /** Pauses for a time; a later call replaces an earlier one. */
  pauseFor(ms: number): void {
    const { clock, consumer } = this.parts;
    if (this.hasStopped) return;
    this.cancel();
    if (!this.isTimed && !this.halted) consumer().pause();
    this.isTimed = true;
    this.cancel = clock.after(ms, () => {
      this.isTimed = false;
      this.continueIfOpen();
    });
  }

  /** Pauses until `resume`. */
  halt(): void {
    if (this.hasStopped || this.halted) return;
    if (!this.isTimed) this.parts.consumer().pause();
    this.halted = true;
  }

  /** Ends `halt`. */
  resume(): void {
    if (!this.halted) return;
    this.halted = false;
    this.continueIfOpen();
  }

  /** Stops permanently: no handler starts any more. */
  stop(): void {
    this.hasStopped = true;
  }

  /** Cancels the timer of a pause. */
  end(): void {
    this.cancel();
  }

  /** Resumes fetching unless there is another pause. */
  private continueIfOpen(): void {
    if (this.isClosed) return;
    this.parts.consumer().resume();
    this.parts.onEnded();
  }
}
