import type { Delivery } from "../port/delivery.ts";
import { Deque } from "../memory/deque.ts";
import type { Entry } from "./entry.ts";

interface Slot {
  readonly offset: bigint;
  readonly entry: Entry;
  isDone: boolean;
}

/**
 * The deliveries of one partition of a log that are not committed: finished in any order, committed up to the lowest one that is not finished.
 */
export class PartitionWindow {
  private readonly order = new Deque<Slot>();
  private readonly slots = new Map<bigint, Slot>();
  /** All offsets up to this one are finished. */
  private doneUpTo: bigint | null = null;
  /** The delivery to commit with: the highest contiguous finished one. */
  private uncommitted: Delivery | null = null;
  /** Finished deliveries since the last commit. */
  private finished = 0;

  /** Deliveries that are not finished, or behind one that is not. */
  get size(): number {
    return this.slots.size;
  }

  /** Finished deliveries that a commit would cover. */
  get committable(): number {
    return this.uncommitted === null ? 0 : this.finished;
  }

  entries(): readonly Entry[] {
    return Array.from(this.slots.values()).flatMap(({ entry, isDone }) => (isDone ? [] : [entry]));
  }

  /** Returns the entry of a delivery's offset, or whether it is new or was finished before; then it may be committed again. */
  lookUp(delivery: Delivery): Entry | "new" | "finished" {
    const offset = BigInt(delivery.offset ?? 0);
    const known = this.slots.get(offset);
    if (known !== undefined) return known.entry;
    if (this.doneUpTo === null || offset > this.doneUpTo) return "new";
    if (offset === this.doneUpTo) this.uncommitted ??= delivery;
    return "finished";
  }

  add(entry: Entry): void {
    const slot = { offset: BigInt(entry.delivery.offset ?? 0), entry, isDone: false };
    this.slots.set(slot.offset, slot);
    this.order.push(slot);
  }

  /** Marks an entry as finished. */
  finish(entry: Entry): void {
    const slot = this.slots.get(BigInt(entry.delivery.offset ?? 0));
    if (slot?.entry !== entry) return;
    slot.isDone = true;
    for (let first = this.order.peek(); first?.isDone === true; first = this.order.peek()) {
      this.order.shift();
      this.slots.delete(first.offset);
      this.doneUpTo = first.offset;
      this.uncommitted = first.entry.delivery;
      this.finished++;
    }
  }

  /** Takes the delivery to commit with; `null` when nothing is new. */
  takeCommit(): Delivery | null {
    const delivery = this.uncommitted;
    this.uncommitted = null;
    this.finished = 0;
    return delivery;
  }

  /** Puts a commit back that failed, unless there is a later one. */
  putBack(delivery: Delivery): void {
    this.uncommitted ??= delivery;
  }
}
