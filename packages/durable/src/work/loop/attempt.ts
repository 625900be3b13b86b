import type { ClaimedRow } from "../table/claiming.ts";
import type { Held } from "../table/held.ts";
import type { Slot } from "./slots.ts";

/** One attempt at an item in this process. It is open until its outcome is decided; what its handler does after that has no effect. */
export class Attempt implements Held {
  readonly row: ClaimedRow;
  /** JSON of the last progress, until it is stored. */
  progress: string | null = null;
  /** When it was claimed, by the clock of this process. */
  beganAt = 0;
  /** Slot of its handler, until that has returned. */
  slot: Slot | null = null;
  /** Called when the outcome is in the table, with `false` when it was refused. */
  settled: ((isHeld: boolean) => void) | null = null;
  /** Called when the signal aborts. */
  aborted: (() => void) | null = null;
  private state: "open" | "completed" | "ended" = "open";
  private controller: AbortController | null = null;
  private reason: Error | null = null;

  constructor(row: ClaimedRow) {
    this.row = row;
  }

  get id(): number {
    return this.row.id;
  }

  get fence(): number {
    return this.row.fence;
  }

  get isOpen(): boolean {
    return this.state === "open";
  }

  /** Whether a transaction of the handler has completed the item. */
  get isCompleted(): boolean {
    return this.state === "completed";
  }

  /** Created on first access: most handlers do not use it. */
  get signal(): AbortSignal {
    if (this.controller === null) {
      this.controller = new AbortController();
      if (this.reason !== null) this.controller.abort(this.reason);
    }
    return this.controller.signal;
  }

  /** Decides the outcome. Returns `false` when it was decided before. @param reason aborts the signal */
  end(reason: Error | null = null): boolean {
    if (this.state !== "open") return false;
    this.state = "ended";
    this.abort(reason);
    return true;
  }

  /** Notes that a transaction with the completion was committed. Returns whether the outcome was open. */
  complete(): boolean {
    const wasOpen = this.isOpen;
    this.state = "completed";
    return wasOpen;
  }

  private abort(reason: Error | null): void {
    if (reason === null) return;
    this.reason = reason;
    this.controller?.abort(reason);
    this.aborted?.();
  }
}
