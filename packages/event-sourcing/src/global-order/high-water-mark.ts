import type { StoreBase } from "../base/store-base.ts";
import { APPEND_LOCK } from "../base/store-locks.ts";
import type { FinalPosition, Frontier } from "./frontier.ts";
import { lastStored } from "./last-stored.ts";
import { lockHolders, mayRemain, oldestAge } from "./lock-holders.ts";
import { SingleFlight } from "./single-flight.ts";
import { logRewind } from "./log-rewind.ts";
import { type Skip, SkipLog } from "./skips.ts";

/** Maximum number of positions per query. */
const SCAN = 5000;
/** Maximum number of gaps skipped per query: each is recorded as a row. */
const MAX_SKIPS = 500;

/** The event at the frontier. If it changes, the store was restored to an older state. */
interface FrontierEvent {
  readonly position: number;
  readonly event_id: string;
  readonly recorded_at: number;
}

/** Number of positions between two writes of the mark. Other processes start at the mark instead of at the first event. */
const STORE_EVERY = 10_000;

/** A gap in the positions, and the transactions that may still fill it. */
interface Observation {
  /** Highest position seen: each gap before it was drawn by one of the holders, or is permanent. */
  readonly to: number;
  readonly holders: ReadonlySet<string>;
  /** Age in seconds of the oldest holder at the last check. */
  readonly oldestSecs: number;
}

const nothingObserved: Observation = { to: 0, holders: new Set(), oldestSecs: 0 };

/**
 * The frontier on PostgreSQL, where a transaction may commit a lower position after a higher one.
 *
 * It advances while positions are contiguous. When a read sees a gap, it then lists the transactions that hold the append lock: a transaction that drew a position of
 * the gap took the lock before any higher position became visible, and holds it until its own outcome is visible. Once all listed transactions have ended, and a later
 * read still sees the gap, the gap is permanent. Transactions that append nothing do not matter, however long they are open.
 */
export class HighWaterMark implements Frontier {
  position = 0;
  rewinds = 0;
  rewoundTo = 0;
  private readonly base: StoreBase;
  private readonly skips: SkipLog;
  private readonly advances: SingleFlight<FinalPosition>;
  private observation: Observation | null = null;
  /** The last observation whose holders have all ended: gaps up to it are permanent if a later read still sees them. */
  private endedObservation = nothingObserved;
  private storedMark: number | null = null;
  /** The event at the frontier in the last read. */
  private frontierEvent: FrontierEvent | null = null;

  constructor(base: StoreBase) {
    this.base = base;
    this.skips = new SkipLog(base);
    this.advances = new SingleFlight(() => this.poll());
  }

  advance(): Promise<FinalPosition> {
    return this.advances.run();
  }

  /** Age in seconds of the oldest transaction with an open append that readers wait for, at the last check; 0 if they wait for none. */
  get oldestOpenSecs(): number {
    return this.observation?.oldestSecs ?? 0;
  }

  private async poll(): Promise<FinalPosition> {
    await this.load();
    const first = await this.pass();
    // Without holders, a second read decides at once.
    return first.state === "waiting" && this.observation?.holders.size === 0 ? await this.pass() : first;
  }

  private async pass(): Promise<FinalPosition> {
    await this.checkHolders(); // before the read
    const positions = await this.read();
    const { endedObservation: ended } = this;
    const { position, skips, isGap } = follow(this.position, positions, ended.to);
    await this.skips.record(skips, evidenceOf(ended));
    this.position = position;
    if (!isGap) this.observation = null; // readers wait for no transaction
    else if (this.observation === null) {
      const now = await lockHolders(this.base.db, APPEND_LOCK); // after the read
      const holders = new Set(now.keys());
      this.observation = {
        to: positions.at(-1) ?? position,
        holders,
        oldestSecs: oldestAge(holders, now),
      };
    }
    await this.store();
    if (isGap) return { position, state: "waiting" };
    return { position, state: positions.length < SCAN && skips.length < MAX_SKIPS ? "end" : "more" };
  }

  private async checkHolders(): Promise<void> {
    const { observation } = this;
    if (observation === null) return;
    const now = await lockHolders(this.base.db, APPEND_LOCK);
    if (mayRemain(observation.holders, now)) {
      this.observation = { ...observation, oldestSecs: oldestAge(observation.holders, now) };
      return;
    }
    this.endedObservation = observation;
    this.observation = null;
  }

  /** Reads the positions after the frontier. Rewinds if the event at the frontier has changed. */
  private async read(): Promise<readonly number[]> {
    const first = await this.query();
    if (this.position === 0 || this.isSame(first.at)) return this.remember(first);
    await this.rewind();
    return this.remember(await this.query());
  }

  private async query(): Promise<PositionsRead> {
    const rows = await this.base.db.query<FrontierEvent | LaterPosition>(POSITIONS, [this.position, SCAN]);
    const at = rows.find((row): row is FrontierEvent => row.event_id !== null) ?? null;
    return { at, positions: rows.flatMap((row) => (row.event_id === null ? row.position : [])) };
  }

  private isSame(at: FrontierEvent | null): boolean {
    if (at === null) return false;
    return this.frontierEvent?.position !== at.position || this.frontierEvent.event_id === at.event_id;
  }

  private remember({ at, positions }: PositionsRead): readonly number[] {
    this.frontierEvent = at ?? this.frontierEvent;
    return positions;
  }

  /** Restarts at the stored mark, or at `rewoundTo` if lower. Events recorded no later than the last known event are assumed to have been read before. */
  private async rewind(): Promise<void> {
    const { position, frontierEvent } = this;
    this.rewoundTo = await this.lastOf(Number.MAX_SAFE_INTEGER, frontierEvent?.recorded_at ?? null);
    logRewind(this.base, position, this.rewoundTo);
    this.storedMark = await this.mark();
    this.position = await this.lastOf(Math.min(this.storedMark, this.rewoundTo), null);
    this.observation = null;
    this.endedObservation = nothingObserved;
    this.frontierEvent = null;
    this.rewinds++;
  }

  /** Position of the last event up to a position and a time; 0 if there is none. */
  private async lastOf(to: number, recordedTo: number | null): Promise<number> {
    return (await this.base.db.fetchValue<number>(lastUpTo, [to, recordedTo])) ?? 0;
  }

  private async mark(): Promise<number> {
    const mark = await this.base.db.fetchValue<number>("SELECT mark FROM framework_event_store WHERE id = 1");
    return mark ?? 0;
  }

  private async load(): Promise<void> {
    if (this.storedMark !== null) return;
    this.storedMark = await this.mark();
    this.position = Math.max(this.position, this.storedMark);
  }

  private async store(): Promise<void> {
    if (this.storedMark === null || this.position < this.storedMark + STORE_EVERY) return;
    this.storedMark = this.position;
    await this.base.db.execute`UPDATE framework_event_store SET mark = ${this.position}
      WHERE id = 1 AND mark < ${this.position} AND ${this.position} <= ${lastStored}`;
  }
}

interface LaterPosition {
  readonly position: number;
  readonly event_id: null;
}

interface PositionsRead {
  readonly at: FrontierEvent | null;
  readonly positions: readonly number[];
}

const POSITIONS = `SELECT position, NULL AS event_id, NULL AS recorded_at FROM (
  SELECT position FROM (SELECT position FROM framework_events WHERE position > $1 ORDER BY position LIMIT $2) AS present
  UNION ALL SELECT position FROM (SELECT position FROM framework_archived_events WHERE position > $1 ORDER BY position LIMIT $2) AS archived
  ORDER BY position LIMIT $2) AS later
  UNION ALL SELECT position, event_id, recorded_at FROM framework_events WHERE position = $1
  UNION ALL SELECT position, event_id, recorded_at FROM framework_archived_events WHERE position = $1
  ORDER BY position`;

const lastUpTo = `SELECT max(position) FROM (${["framework_events", "framework_archived_events"]
  .map(
    (
      table,
    ) => `(SELECT position FROM ${table} WHERE position <= $1 AND ($2::bigint IS NULL OR recorded_at <= $2)
  ORDER BY position DESC LIMIT 1)`,
  )
  .join(" UNION ALL ")}) AS last`;

const evidenceOf = ({ to, holders }: Observation): string =>
  JSON.stringify({ seenTo: to, ended: [...holders] });

/** Advances from a final position over contiguous positions and permanent gaps, up to the first open gap. */
const follow = (
  from: number,
  positions: readonly number[],
  permanentTo: number,
): { readonly position: number; readonly skips: readonly Skip[]; readonly isGap: boolean } => {
  const skips: Skip[] = [];
  let position = from;
  for (const next of positions) {
    if (next !== position + 1) {
      if (next - 1 > permanentTo) return { position, skips, isGap: true };
      if (skips.length === MAX_SKIPS) return { position, skips, isGap: false };
      skips.push({ from: position + 1, to: next - 1 });
    }
    position = next;
  }
  return { position, skips, isGap: false };
};
