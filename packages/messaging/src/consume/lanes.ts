import { Deque } from "../memory/deque.ts";
import type { Entry } from "./entry.ts";

/** Orders entries: entries of one lane run one at a time in the order of delivery, others run concurrently. */
export class Lanes {
  private readonly ready = new Deque<Entry>();
  /** Entries by lane. The first one occupies the lane: it is ready, runs, or waits for its next try. */
  private readonly lanes = new Map<string, Entry[]>();

  /** Number of entries that can run now. */
  get readyCount(): number {
    return this.ready.length;
  }

  add(entry: Entry): void {
    if (entry.lane === null) return this.ready.push(entry);
    const lane = this.lanes.get(entry.lane);
    if (lane !== undefined) return void lane.push(entry);
    this.lanes.set(entry.lane, [entry]);
    this.ready.push(entry);
  }

  /** Removes and returns the next entry that may run; `null` if there is none. Its lane stays occupied until `free`. */
  take(): Entry | null {
    for (let entry = this.ready.shift(); entry !== undefined; entry = this.ready.shift()) {
      if (!entry.isReleased) return entry;
      this.free(entry);
    }
    return null;
  }

  /** Makes an entry ready again; it still occupies its lane. */
  requeue(entry: Entry): void {
    this.ready.unshift(entry);
  }

  /** Frees the lane of an entry: its next entry is ready. Does nothing for an entry that does not occupy its lane, such as one that waits for its delay. */
  free(entry: Entry): void {
    if (entry.lane === null) return;
    const lane = this.lanes.get(entry.lane);
    if (lane?.[0] !== entry) return;
    lane.shift();
    const [next] = lane;
    if (next === undefined) this.lanes.delete(entry.lane);
    else this.ready.push(next);
  }

  /** Removes and returns all entries of a lane except the first, in order. */
  takeFollowing(lane: string): readonly Entry[] {
    return this.lanes.get(lane)?.splice(1) ?? [];
  }
}
