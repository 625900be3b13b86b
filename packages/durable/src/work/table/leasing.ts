import { MAX_LEASE_MS } from "../../durable-config.ts";
import { type HeldItem, heldColumns, sortedById, valueIn } from "./held.ts";
import type { Placeholders, StatementShape } from "./statement.ts";
import type { WorkSession, WorkTable } from "./work-table.ts";

/** Maximum number of items that one statement wakes or takes over. */
const MAX_BATCH = 1000;

/** Result of a poll of the table. */
export interface PollResult {
  /** The given queues that have ready items. */
  readonly ready: readonly string[];
  /** Milliseconds until the first waiting item of any queue is due; `null` without one. */
  readonly dueInMs: number | null;
  /** Milliseconds until the first lease of a running item ends, unless it is renewed; `null` without one. */
  readonly endsInMs: number | null;
}

interface PollRow {
  readonly kind: "waiting" | "running" | "ready";
  readonly queue: string | null;
  readonly ms: number | null;
}

const sameFence = ({ id, fence }: Placeholders): string =>
  `w.id = ANY (${id}) AND w.fence = ${valueIn(fence, id, "w.id")}`;
const joinHeld = ({ list }: Placeholders): string =>
  `${list} JOIN framework_work AS w ON w.id = s.id AND w.fence = s.fence`;

/** Skips locked items: a handler's transaction is completing them, so no worker can claim them, and waiting would delay all other renewals. */
export const renewStatement: StatementShape = {
  name: "renew",
  parameters: { lease: "bigint" },
  list: heldColumns,
  returns: { id: "bigint" },
  postgres: (
    places,
  ) => `UPDATE framework_work SET wake_at = ${places["now"]} + ${places["lease"]} WHERE id = ANY (ARRAY(
  SELECT w.id FROM framework_work AS w WHERE ${sameFence(places)} FOR UPDATE SKIP LOCKED)) RETURNING id`,
  sqlite: (places) =>
    `UPDATE framework_work SET wake_at = ${places["now"]} + ${places["lease"]} WHERE id IN (SELECT w.id FROM ${joinHeld(places)}) RETURNING id`,
};

export const heldStatement: StatementShape = {
  name: "held",
  list: heldColumns,
  returns: { id: "bigint" },
  postgres: (places) => `SELECT w.id FROM framework_work AS w WHERE ${sameFence(places)}`,
  sqlite: (places) => `SELECT w.id FROM ${joinHeld(places)}`,
};

const READY = "UPDATE framework_work SET state = 'ready', owner = NULL, wake_at = NULL, fence = fence + 1";

const due = (state: string, now: string | undefined, lock: string): string =>
  `SELECT w.id FROM framework_work AS w WHERE w.state = '${state}' AND w.wake_at <= ${now} ORDER BY w.wake_at LIMIT ${MAX_BATCH} ${lock}`;

const whenDue = (name: string, state: string): StatementShape => ({
  name,
  returns: { queue: "text" },
  postgres: ({ now }) =>
    `${READY} WHERE id = ANY (ARRAY(${due(state, now, "FOR UPDATE SKIP LOCKED")})) RETURNING queue`,
  sqlite: ({ now }) => `${READY} WHERE id IN (${due(state, now, "")}) RETURNING queue`,
});

export const wakeStatement: StatementShape = whenDue("wake", "waiting");
export const takeStatement: StatementShape = whenDue("take", "running");

/** Selects waits that were scheduled at a time after now, while the database's clock was ahead. Each is scheduled again from now, with its delay. */
const futureWaits = (now: string | undefined, lock: string): string =>
  `SELECT w.id FROM framework_work AS w WHERE w.state = 'waiting' AND w.settled_at IS NOT NULL AND w.settled_at > ${now} LIMIT ${MAX_BATCH} ${lock}`;
const replanUpdate = (now: string | undefined): string => {
  const due = `${now} + wake_at - settled_at`;
  return `UPDATE framework_work SET wake_at = ${due}, run_at = ${due}, settled_at = ${now}`;
};

export const replanStatement: StatementShape = {
  name: "replan",
  returns: { queue: "text" },
  postgres: ({ now }) =>
    `${replanUpdate(now)} WHERE id = ANY (ARRAY(${futureWaits(now, "FOR UPDATE SKIP LOCKED")})) RETURNING queue`,
  sqlite: ({ now }) => `${replanUpdate(now)} WHERE id IN (${futureWaits(now, "")}) RETURNING queue`,
};

const ofOwners = (owners: string, lock: string): string =>
  `SELECT w.id FROM framework_work AS w WHERE w.state = 'running' AND w.owner ${owners} LIMIT ${MAX_BATCH} ${lock}`;

export const takeFromStatement: StatementShape = {
  name: "take_from",
  list: { owner: "text" },
  returns: { queue: "text" },
  postgres: ({ owner }) =>
    `${READY} WHERE id = ANY (ARRAY(${ofOwners(`= ANY (${owner})`, "FOR UPDATE SKIP LOCKED")})) RETURNING queue`,
  sqlite: ({ list }) =>
    `${READY} WHERE id IN (${ofOwners(`IN (SELECT s.owner FROM ${list})`, "")}) RETURNING queue`,
};

export const countOfStatement: StatementShape = {
  name: "count_of",
  list: { owner: "text" },
  returns: { items: "bigint" },
  postgres: ({ owner }) =>
    `SELECT count(*) AS items FROM framework_work AS w WHERE w.state = 'running' AND w.owner = ANY (${owner})`,
  sqlite: ({ list }) =>
    `SELECT count(*) AS items FROM framework_work AS w WHERE w.state = 'running' AND w.owner IN (SELECT s.owner FROM ${list})`,
};

const pollSql = (now: string | undefined, queues: string): string => {
  const first = (state: string): string =>
    `SELECT CAST('${state}' AS TEXT) AS kind, CAST(NULL AS TEXT) AS queue, (SELECT min(w.wake_at) FROM framework_work AS w WHERE w.state = '${state}') - ${now} AS ms`;
  return `${first("waiting")} UNION ALL ${first("running")}
UNION ALL SELECT 'ready', s.queue, 0 FROM ${queues} WHERE EXISTS (SELECT 1 FROM framework_work AS w WHERE w.queue = s.queue AND w.state = 'ready')`;
};

export const pollStatement: StatementShape = {
  name: "poll",
  list: { queue: "text" },
  returns: { kind: "text", queue: "text", ms: "bigint" },
  postgres: ({ now, queue }) => pollSql(now, `unnest(${queue}) AS s (queue)`),
  sqlite: ({ now, list = "" }) => pollSql(now, list),
};

/** Leases of running items and delays of waiting ones: both end at `wake_at`, when the item becomes ready. */
export class Leasing {
  private readonly table: WorkTable;

  constructor(table: WorkTable) {
    this.table = table;
  }

  /**
   * Extends the leases of items. Returns the ids of the items still held; the others were taken over, cancelled or removed. Does not wait for an item that a
   * handler's transaction is completing, which counts as held.
   */
  async renew(
    held: readonly HeldItem[],
    leaseMs: number,
    session?: WorkSession,
  ): Promise<ReadonlySet<number>> {
    const list = sortedById(held).map(({ id, fence }) => ({ id, fence }));
    const parameters = { lease: leaseMs };
    const renewed = await this.table.run<{ id: number }>(renewStatement, { parameters, list, session });
    if (renewed.length === held.length) return new Set(held.map(({ id }) => id));
    const reader = session ?? this.table.db;
    const rows = await this.table.run<{ id: number }>(heldStatement, { list, session: reader });
    return new Set(rows.map(({ id }) => id));
  }

  /** Polls the table without writing. */
  async pollOnce(queues: readonly string[]): Promise<PollResult> {
    const list = queues.map((queue) => ({ queue }));
    const rows = await this.table.read<PollRow>(pollStatement, { list });
    const first = (kind: PollRow["kind"]): number | null => rows.find((row) => row.kind === kind)?.ms ?? null;
    const ready = rows.flatMap(({ kind, queue }) => (kind === "ready" && queue !== null ? [queue] : []));
    return { ready, dueInMs: first("waiting"), endsInMs: first("running") };
  }

  /** Makes up to 1,000 due waiting items ready. Returns the queue of each. */
  async wake(): Promise<readonly string[]> {
    return await this.queues(wakeStatement);
  }

  /** Reschedules up to 1,000 waits that were scheduled while the database's clock was ahead. Returns the queue of each. */
  async replan(): Promise<readonly string[]> {
    return await this.queues(replanStatement);
  }

  /** Shortens up to 1,000 leases that were taken while the database's clock was ahead. A process that still runs renews them long before their new end. */
  async shorten(): Promise<void> {
    const { db, now } = this.table;
    const lock = db.dialect === "postgres" ? "FOR UPDATE SKIP LOCKED" : "";
    const end = `${now} + ${MAX_LEASE_MS}`;
    const tooLate = `SELECT w.id FROM framework_work AS w WHERE w.state = 'running' AND w.wake_at > ${end} LIMIT ${MAX_BATCH} ${lock}`;
    await this.table.query(`UPDATE framework_work SET wake_at = ${end} WHERE id IN (${tooLate})`, []);
  }

  /** Makes up to 1,000 running items whose leases have ended ready; their attempts count. Returns the queue of each. */
  async takeExpired(): Promise<readonly string[]> {
    return await this.queues(takeStatement);
  }

  /** Makes up to 1,000 items of ended owners ready; their attempts count. Returns the queue of each. */
  async takeFrom(owners: readonly string[]): Promise<readonly string[]> {
    return await this.queues(
      takeFromStatement,
      owners.map((owner) => ({ owner })),
    );
  }

  /** Returns the number of running items of owners. */
  async countOf(owners: readonly string[]): Promise<number> {
    const list = owners.map((owner) => ({ owner }));
    const [row] = await this.table.read<{ items: number }>(countOfStatement, { list });
    return row?.items ?? 0;
  }

  private async queues(
    shape: StatementShape,
    list: readonly { readonly owner: string }[] = [],
  ): Promise<readonly string[]> {
    const rows = await this.table.run<{ queue: string }>(shape, { list });
    return rows.map(({ queue }) => queue);
  }
}
