import { Deque } from "../memory/deque.ts";
import type { Entry } from "./entry.ts";

/** Orders entries: those of one lane run one at a time, in the order of delivery; others at once. */
export class Lanes {
  private readonly ready = new Deque<Entry>();
  /** Lanes with an entry that is ready, runs or waits, and the entries behind it. */
  private readonly lanes = new Map<string, Entry[]>();

  /** Entries that could run now. */
  get readyCount(): number {
    return this.ready.length;
  }

  add(entry: Entry): void {
    if (entry.lane === null) return this.ready.push(entry);
    const behind = this.lanes.get(entry.lane);
    if (behind !== undefined) return void behind.push(entry);
    this.lanes.set(entry.lane, []);
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

  /** Ends an entry's turn: the next one of its lane is ready. */
  free({ lane }: Entry): void {
    if (lane === null) return;
    const next = this.lanes.get(lane)?.shift();
    if (next === undefined) this.lanes.delete(lane);
    else this.ready.push(next);
  }

  /** Takes the entries behind the first one of a lane, in their order. */
  takeBehind(lane: string): readonly Entry[] {
    return this.lanes.get(lane)?.splice(0) ?? [];
  }
}
