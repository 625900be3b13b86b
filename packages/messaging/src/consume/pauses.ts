import type { Clock } from "@framework/core/feature";
import type { Consumer } from "../port/broker-adapter.ts";

/** What pauses need. */
export interface PausesParts {
  readonly clock: Clock;
  readonly consumer: () => Pick<Consumer, "pause" | "resume">;
  /** Called when the last pause has ended. */
  readonly ended: () => void;
}

/** Reasons for which a subscription starts no handler and fetches nothing: an open circuit, an operator, a stop. */
export class Pauses {
  private readonly parts: PausesParts;
  /** By an open circuit. */
  private isTimed = false;
  /** By an operator. */
  private halted = false;
  private hasStopped = false;
  private cancel: () => void = () => {};

  constructor(parts: PausesParts) {
    this.parts = parts;
  }

  /** Whether nothing may start. */
  get isClosed(): boolean {
    return this.hasStopped || this.isTimed || this.halted;
  }

  /** Whether an operator has paused it. */
  get isHalted(): boolean {
    return this.halted;
  }

  /** Whether nothing starts any more. */
  get isStopped(): boolean {
    return this.hasStopped;
  }

  /** Pauses for some time; a later call counts. */
  pauseFor(ms: number): void {
    const { clock, consumer } = this.parts;
    if (this.hasStopped) return;
    this.cancel();
    if (!this.isTimed && !this.halted) consumer().pause();
    this.isTimed = true;
    this.cancel = clock.after(ms, () => {
      this.isTimed = false;
      this.goOn();
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
    this.goOn();
  }

  /** Ends what waits for the end of a pause: nothing starts any more. */
  stop(): void {
    this.hasStopped = true;
  }

  /** Forgets the time of a pause. */
  end(): void {
    this.cancel();
  }

  /** Fetches again, unless another pause holds. */
  private goOn(): void {
    if (this.isClosed) return;
    this.parts.consumer().resume();
    this.parts.ended();
  }
}
