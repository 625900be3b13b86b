import type { StatementShape } from "./statement.ts";
import type { WorkSession, WorkTable } from "./work-table.ts";

/** A subquery: unfinished items of the key of a row `c` that were added before it. */
export const earlier = (c: string): string =>
  `SELECT 1 FROM framework_work AS e WHERE e.queue = ${c}.queue AND e.key = ${c}.key AND e.key IS NOT NULL AND e.finished_at IS NULL AND e.id < ${c}.id`;

/** A subquery: the item of the key of a row `c` that runs. */
export const running = (c: string): string =>
  `SELECT 1 FROM framework_work AS e WHERE e.queue = ${c}.queue AND e.key = ${c}.key AND e.key IS NOT NULL AND e.state = 'running'`;

/** Items at the head of a queue that one call of `block` examines. */
const WINDOW = 1000;

const head = (queue: string): string =>
  `SELECT r.id, r.queue, r.key FROM framework_work AS r WHERE r.queue = ${queue} AND r.state = 'ready' ORDER BY r.priority DESC, r.run_at, r.id LIMIT ${WINDOW}`;

const COVER = `SELECT e.id FROM framework_work AS e WHERE e.queue = c.queue AND e.key = c.key AND e.key IS NOT NULL AND e.finished_at IS NULL
  AND e.state <> 'blocked' AND e.id < c.id ORDER BY e.id LIMIT 1`;

/**
 * PostgreSQL locks the item that each blocked one waits for, so that it cannot end meanwhile: its `unblock` must see the blocked item. An item that
 * another transaction has locked is about to end, and blocks nothing.
 */
export const blockStatement: StatementShape = {
  name: "block",
  parameters: { queue: "text" },
  returns: { id: "bigint" },
  postgres: ({
    queue = "",
  }) => `UPDATE framework_work SET state = 'blocked' WHERE state = 'ready' AND id = ANY (ARRAY(
  SELECT c.id FROM (${head(queue)}) AS c CROSS JOIN LATERAL (${COVER} FOR SHARE OF e SKIP LOCKED) AS e WHERE c.key IS NOT NULL)) RETURNING id`,
  sqlite: ({ queue = "" }) => `UPDATE framework_work SET state = 'blocked' WHERE state = 'ready' AND id IN (
  SELECT c.id FROM (${head(queue)}) AS c WHERE c.key IS NOT NULL AND EXISTS (${COVER})) RETURNING id`,
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
 * Takes items that must wait for others of their key out of the ready index, and puts them back.
 *
 * Claims are right without it: they skip such items. But a claim that has to skip a hundred thousand items of one busy key would be slow.
 * A blocked item always has an earlier unfinished item of its key that is not blocked; when that one ends, `unblock` makes the first blocked one ready.
 */
export class KeyOrder {
  private readonly table: WorkTable;

  constructor(table: WorkTable) {
    this.table = table;
  }

  /** Blocks items among the first 1,000 of a queue that wait for others. Returns how many; call it again until there are none. */
  async block(queue: string): Promise<number> {
    return (await this.table.run(blockStatement, { parameters: { queue } })).length;
  }

  /** Makes the first blocked item of each key ready, in a statement after the one that ended an item of it. Returns whether there was one. */
  async unblock(queue: string, keys: readonly string[], session?: WorkSession): Promise<boolean> {
    const list = Array.from(new Set(keys), (key) => ({ key }));
    return (await this.table.run(unblockStatement, { parameters: { queue }, list, session })).length > 0;
  }

  /** Makes items ready that wait for nothing: the process was killed before `unblock`, or someone deleted rows. Returns their queues. */
  async heal(): Promise<readonly string[]> {
    const rows = await this.table.query<{ queue: string }>(HEAL, []);
    return rows.map(({ queue }) => queue);
  }
}
