import type { StatementShape } from "./statement.ts";
import type { WorkSession, WorkTable } from "./work-table.ts";

/** Subquery: unfinished items with the key of a row `c` that were added before it. */
export const earlier = (c: string): string =>
  `SELECT 1 FROM framework_work AS e WHERE e.queue = ${c}.queue AND e.key = ${c}.key AND e.key IS NOT NULL AND e.finished_at IS NULL AND e.id < ${c}.id`;

/** Subquery: the running item with the key of a row `c`. */
export const running = (c: string): string =>
  `SELECT 1 FROM framework_work AS e WHERE e.queue = ${c}.queue AND e.key = ${c}.key AND e.key IS NOT NULL AND e.state = 'running'`;

/** Number of items at the head of a queue that one call of `block` examines. */
const WINDOW = 1000;

const head = (queue: string): string =>
  `SELECT r.id, r.queue, r.key FROM framework_work AS r WHERE r.queue = ${queue} AND r.state = 'ready' ORDER BY r.priority DESC, r.run_at, r.id LIMIT ${WINDOW}`;

const BLOCKER = `SELECT e.id FROM framework_work AS e WHERE e.queue = c.queue AND e.key = c.key AND e.key IS NOT NULL AND e.finished_at IS NULL
  AND e.state <> 'blocked' AND e.id < c.id ORDER BY e.id LIMIT 1`;

/**
 * PostgreSQL locks the item that each blocked one waits for, so that it cannot end concurrently: its `unblock` must see the blocked item. Items locked by
 * other transactions are skipped, because they are about to end.
 */
export const blockStatement: StatementShape = {
  name: "block",
  parameters: { queue: "text" },
  returns: { id: "bigint" },
  postgres: ({
    queue = "",
  }) => `UPDATE framework_work SET state = 'blocked' WHERE state = 'ready' AND id = ANY (ARRAY(
  SELECT c.id FROM (${head(queue)}) AS c CROSS JOIN LATERAL (${BLOCKER} FOR SHARE OF e SKIP LOCKED) AS e WHERE c.key IS NOT NULL)) RETURNING id`,
  sqlite: ({ queue = "" }) => `UPDATE framework_work SET state = 'blocked' WHERE state = 'ready' AND id IN (
  SELECT c.id FROM (${head(queue)}) AS c WHERE c.key IS NOT NULL AND EXISTS (${BLOCKER})) RETURNING id`,
};

const firstBlocked = (queue: string, key: string): string =>
  `SELECT min(b.id) FROM framework_work AS b WHERE b.queue = ${queue} AND b.key = ${key} AND b.state = 'blocked'`;

export const unblockStatement: StatementShape = {
  name: "unblock",
  parameters: { queue: "text" },
  list: { key: "text" },
  returns: { id: "bigint" },
  postgres: ({
    queue = "",
    key = "",
  }) => `UPDATE framework_work SET state = 'ready' WHERE state = 'blocked' AND id = ANY (ARRAY(
  SELECT (${firstBlocked(queue, "s.key")}) FROM unnest(${key}) AS s (key))) RETURNING id`,
  sqlite: ({
    queue = "",
    list,
  }) => `UPDATE framework_work SET state = 'ready' WHERE state = 'blocked' AND id IN (
  SELECT (${firstBlocked(queue, "s.key")}) FROM ${list}) RETURNING id`,
};

const HEAL = `UPDATE framework_work SET state = 'ready' WHERE state = 'blocked' AND id IN (
  SELECT c.id FROM (SELECT min(id) AS id, queue, key FROM framework_work WHERE state = 'blocked' GROUP BY queue, key) AS c
  WHERE NOT EXISTS (SELECT 1 FROM framework_work AS e WHERE e.queue = c.queue AND e.key = c.key AND e.key IS NOT NULL AND e.finished_at IS NULL AND e.state <> 'blocked' AND e.id < c.id))
RETURNING queue`;

/**
 * Removes items that must wait for others of their key from the ready index, and adds them back.
 *
 * Claims are correct without it, because they skip such items, but skipping a hundred thousand items of one busy key would be slow.
 * A blocked item always has an earlier unfinished item of its key that is not blocked; when that one ends, `unblock` makes the first blocked one ready.
 */
export class KeyOrder {
  private readonly table: WorkTable;

  constructor(table: WorkTable) {
    this.table = table;
  }

  /** Blocks the items that wait for others, among the first 1,000 of a queue. Returns their number; call it until it returns 0. */
  async block(queue: string): Promise<number> {
    return (await this.table.run(blockStatement, { parameters: { queue } })).length;
  }

  /** Makes the first blocked item of each key ready. Call it after the statement that ended an item of the key. Returns whether there was one. */
  async unblock(queue: string, keys: readonly string[], session?: WorkSession): Promise<boolean> {
    const list = Array.from(new Set(keys), (key) => ({ key }));
    return (await this.table.run(unblockStatement, { parameters: { queue }, list, session })).length > 0;
  }

  /** Unblocks items that no longer wait for another, because a process was killed before `unblock` or rows were deleted. Returns their queues. */
  async heal(): Promise<readonly string[]> {
    const rows = await this.table.query<{ queue: string }>(HEAL, []);
    return rows.map(({ queue }) => queue);
  }
}
