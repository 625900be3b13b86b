import type { ClaimedRow } from "../table/claiming.ts";
import type { HeldItem } from "../table/held.ts";
import type { Slot } from "./slots.ts";

/** One attempt at an item in this process. It is open until its outcome is decided; then only the commit of a `complete` changes it. */
export class Attempt implements HeldItem {
  readonly row: ClaimedRow;
  /** Last progress as JSON, until it is stored. */
  progress: string | null = null;
  /** When it was claimed, by the clock of this process. */
  beganAt = 0;
  /** Slot of the handler, until it has returned. */
  slot: Slot | null = null;
  /** Called when the outcome has been written, with `false` if it was refused. */
  onSettled: ((isHeld: boolean) => void) | null = null;
  /** Called when the signal aborts. */
  onAborted: (() => void) | null = null;
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

  /** Created on first access, because most handlers do not use it. */
  get signal(): AbortSignal {
    if (this.controller === null) {
      this.controller = new AbortController();
      if (this.reason !== null) this.controller.abort(this.reason);
    }
    return this.controller.signal;
  }

  /** Ends the attempt. Returns `false` if it had ended before. @param reason aborts the signal */
  end(reason: Error | null = null): boolean {
    if (this.state !== "open") return false;
    this.state = "ended";
    this.abort(reason);
    return true;
  }

  /** Records the commit of a transaction that completes the item. Returns whether the attempt was open. */
  complete(): boolean {
    const wasOpen = this.isOpen;
    this.state = "completed";
    return wasOpen;
  }

  private abort(reason: Error | null): void {
    if (reason === null) return;
    this.reason = reason;
    this.controller?.abort(reason);
    this.onAborted?.();
  }
}
