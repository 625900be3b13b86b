import type { StoreBase } from "../base/store-base.ts";
import { APPEND_LOCK } from "../base/store-locks.ts";
import type { Decided, Frontier } from "./frontier.ts";
import { lastStored } from "./last-stored.ts";
import { type Holders, lockHolders, mayRemain } from "./lock-holders.ts";
import { SharedLook } from "./shared-look.ts";
import { logReturn } from "./store-returned.ts";
import { type Skip, SkipLog } from "./skips.ts";

/** Positions that one look reads at most. */
const SCAN = 5000;
/** Skips of one look: each becomes a row. */
const MAX_SKIPS = 500;
/** The event at the frontier, by which an older state of the store is told from the present one. */
interface FrontierEvent {
  readonly position: number;
  readonly event_id: string;
  readonly recorded_at: number;
}

/** Advance after which the position is stored, so that another process need not begin at the first event. */
const STORE_EVERY = 10_000;

/** A hole that was seen, and the transactions that may still fill it. */
interface Observation {
  /** Highest position seen: every hole before it was drawn by one of the holders, or is dead. */
  readonly to: number;
  readonly holders: ReadonlySet<string>;
}

/**
 * The frontier on PostgreSQL, where a transaction may commit a lower position after a higher one.
 *
 * It advances while positions are contiguous. At a hole it notes the transactions that hold the lock of appends, after the read that saw the hole: a transaction that
 * drew a number of the hole held the lock before the higher number was visible, and holds it until its own outcome is. When none of the noted ones remains, and a read
 * after that still has the hole, the hole is dead. Transactions that append nothing do not matter, however long they are open.
 */
export class HighWaterMark implements Frontier {
  position = 0;
  returns = 0;
  returnedTo = 0;
  /** Seconds that the oldest append was open when last looked. */
  oldestOpenSecs = 0;
  private readonly base: StoreBase;
  private readonly skips: SkipLog;
  private readonly looks: SharedLook<Decided>;
  private observed: Observation | null = null;
  /** The last observation whose holders have all ended: holes up to it are dead if a later read still has them. */
  private ended: Observation = { to: 0, holders: new Set() };
  private stored: number | null = null;
  /** The event at the frontier when last looked. */
  private known: FrontierEvent | null = null;

  constructor(base: StoreBase) {
    this.base = base;
    this.skips = new SkipLog(base);
    this.looks = new SharedLook(() => this.look());
  }

  advance(): Promise<Decided> {
    return this.looks.get();
  }

  /** Measures how long the oldest append has been open. */
  async holders(): Promise<Holders> {
    const holders = await lockHolders(this.base.db, APPEND_LOCK);
    this.oldestOpenSecs = holders.oldestSecs;
    return holders;
  }

  private async look(): Promise<Decided> {
    await this.load();
    const first = await this.pass();
    // Without a holder, one more read decides: no poll is needed.
    return first.state === "waiting" && this.observed?.holders.size === 0 ? await this.pass() : first;
  }

  private async pass(): Promise<Decided> {
    await this.lookAtHolders(); // before the read
    const positions = await this.read();
    const { ended } = this;
    const { position, skips, isHole } = follow(this.position, positions, ended.to);
    await this.skips.record(skips, evidenceOf(ended));
    this.position = position;
    if (isHole && this.observed === null) {
      const holders = await this.holders(); // after the read
      this.observed = { to: positions.at(-1) ?? position, holders: holders.ids };
    }
    await this.store();
    if (isHole) return { position, state: "waiting" };
    return { position, state: positions.length < SCAN && skips.length < MAX_SKIPS ? "end" : "more" };
  }

  private async lookAtHolders(): Promise<void> {
    const { observed } = this;
    if (observed === null) {
      this.oldestOpenSecs = 0; // no hole, so nothing waits for an open append
      return;
    }
    const now = await this.holders();
    if (mayRemain(observed.holders, now.ids)) return;
    this.ended = observed;
    this.observed = null;
  }

  /** Positions after the frontier, whose own event must still be there. */
  private async read(): Promise<readonly number[]> {
    const first = await this.query();
    if (this.position === 0 || this.isSame(first.at)) return this.keep(first);
    await this.goBack();
    return this.keep(await this.query());
  }

  private async query(): Promise<Found> {
    const rows = await this.base.db.query<FrontierEvent | Later>(POSITIONS, [this.position, SCAN]);
    const at = rows.find((row): row is FrontierEvent => row.event_id !== null) ?? null;
    return { at, positions: rows.flatMap((row) => (row.event_id === null ? row.position : [])) };
  }

  private isSame(at: FrontierEvent | null): boolean {
    if (at === null) return false;
    return this.known?.position !== at.position || this.known.event_id === at.event_id;
  }

  private keep({ at, positions }: Found): readonly number[] {
    this.known = at ?? this.known;
    return positions;
  }

  /** Begins again at the mark of an older store. What was recorded up to the time of the event known last is taken for what was read before. */
  private async goBack(): Promise<void> {
    const { position, known } = this;
    this.returnedTo = await this.lastOf(Number.MAX_SAFE_INTEGER, known?.recorded_at ?? null);
    logReturn(this.base, position, this.returnedTo);
    this.stored = await this.mark();
    this.position = await this.lastOf(Math.min(this.stored, this.returnedTo), null);
    this.observed = null;
    this.ended = { to: 0, holders: new Set() };
    this.known = null;
    this.returns++;
  }

  /** Position of the last event up to a position and a time; 0 without one. */
  private async lastOf(to: number, recordedTo: number | null): Promise<number> {
    return (await this.base.db.fetchValue<number>(lastUpTo, [to, recordedTo])) ?? 0;
  }

  private async mark(): Promise<number> {
    const mark = await this.base.db.fetchValue<number>("SELECT mark FROM framework_event_store WHERE id = 1");
    return mark ?? 0;
  }

  private async load(): Promise<void> {
    if (this.stored !== null) return;
    this.stored = await this.mark();
    this.position = Math.max(this.position, this.stored);
  }

  private async store(): Promise<void> {
    if (this.stored === null || this.position < this.stored + STORE_EVERY) return;
    this.stored = this.position;
    await this.base.db.execute`UPDATE framework_event_store SET mark = ${this.position}
      WHERE id = 1 AND mark < ${this.position} AND ${this.position} <= ${lastStored}`;
  }
}

interface Later {
  readonly position: number;
  readonly event_id: null;
}

interface Found {
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

/** Follows positions from one that is decided: over dead holes, up to the first open one. */
const follow = (
  from: number,
  positions: readonly number[],
  deadTo: number,
): { readonly position: number; readonly skips: readonly Skip[]; readonly isHole: boolean } => {
  const skips: Skip[] = [];
  let position = from;
  for (const next of positions) {
    if (next !== position + 1) {
      if (next - 1 > deadTo) return { position, skips, isHole: true };
      if (skips.length === MAX_SKIPS) return { position, skips, isHole: false };
      skips.push({ from: position + 1, to: next - 1 });
    }
    position = next;
  }
  return { position, skips, isHole: false };
};
