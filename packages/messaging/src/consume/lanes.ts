import { Deque } from "../memory/deque.ts";
import type { Entry } from "./entry.ts";

/** Orders entries: those of one lane run one at a time, in the order of delivery; others at once. */
export class Lanes {
  private readonly ready = new Deque<Entry>();
  /** Entries by lane. The first one holds the lane: it is ready, runs, or waits for its next try. */
  private readonly lanes = new Map<string, Entry[]>();

  /** Entries that could run now. */
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

  /** Takes the next entry that may run; `null` when there is none. Its lane is taken until `free`. */
  take(): Entry | null {
    for (let entry = this.ready.shift(); entry !== undefined; entry = this.ready.shift()) {
      if (!entry.isLost) return entry;
      this.free(entry);
    }
    return null;
  }

  /** Makes an entry ready again, which keeps its lane. */
  again(entry: Entry): void {
    this.ready.unshift(entry);
  }

  /** Ends an entry's turn: the next one of its lane is ready. Entries that do not hold their lane, as those that wait for their time, free nothing. */
  free(entry: Entry): void {
    if (entry.lane === null) return;
    const lane = this.lanes.get(entry.lane);
    if (lane?.[0] !== entry) return;
    lane.shift();
    const [next] = lane;
    if (next === undefined) this.lanes.delete(entry.lane);
    else this.ready.push(next);
  }

  /** Takes the entries behind the first one of a lane, in their order. */
  takeBehind(lane: string): readonly Entry[] {
    return this.lanes.get(lane)?.splice(1) ?? [];
  }
}
