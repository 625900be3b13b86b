import type { Delivery } from "../port/delivery.ts";
import { Deque } from "../memory/deque.ts";
import type { Entry } from "./entry.ts";

/** The uncommitted deliveries of one partition of a log. They finish in any order and are committed up to the first unfinished one. */
export class PartitionWindow {
  private readonly order = new Deque<Entry>();
  private readonly byOffset = new Map<string, Entry>();
  /** All offsets up to this one are finished. */
  private doneUpTo: string | null = null;
  /** The delivery to commit: the last one before the first unfinished delivery. */
  private uncommitted: Delivery | null = null;
  /** Finished deliveries since the last commit. */
  private finished = 0;

  /** Number of deliveries, starting with the first unfinished one. */
  get size(): number {
    return this.byOffset.size;
  }

  /** Number of finished deliveries that a commit would cover. */
  get committable(): number {
    return this.uncommitted === null ? 0 : this.finished;
  }

  unfinished(): readonly Entry[] {
    return Array.from(this.byOffset.values()).filter(({ isFinished }) => !isFinished);
  }

  /** Returns the entry of a delivery's offset, `new`, or `finished`. If its offset is the last one before the first unfinished delivery, it is committed again. */
  lookUp(delivery: Delivery): Entry | "new" | "finished" {
    const offset = delivery.offset ?? "0";
    const known = this.byOffset.get(offset);
    if (known !== undefined) return known;
    if (this.doneUpTo === null || isLater(offset, this.doneUpTo)) return "new";
    if (offset === this.doneUpTo) this.uncommitted ??= delivery;
    return "finished";
  }

  add(entry: Entry): void {
    this.byOffset.set(entry.delivery.offset ?? "0", entry);
    this.order.push(entry);
  }

  /** Marks an entry as finished. */
  finish(entry: Entry): void {
    entry.isFinished = true;
    for (let first = this.order.peek(); first?.isFinished === true; first = this.order.peek()) {
      const { delivery } = this.order.shift() ?? first;
      this.doneUpTo = delivery.offset ?? "0";
      this.byOffset.delete(this.doneUpTo);
      this.uncommitted = delivery;
      this.finished++;
    }
  }

  /** Removes and returns the delivery to commit; `null` if nothing finished since the last commit. */
  takeCommit(): Delivery | null {
    const delivery = this.uncommitted;
    this.uncommitted = null;
    this.finished = 0;
    return delivery;
  }
}

/** Compares offsets as text, without converting them: they are decimal numbers without leading zeros. */
const isLater = (one: string, other: string): boolean =>
  one.length === other.length ? one > other : one.length > other.length;
