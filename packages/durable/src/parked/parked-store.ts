import type { Queries, Transaction } from "@framework/database";
import type { KernelBase } from "../base/kernel-base.ts";
import { stackHash } from "./failure.ts";
import {
  ITEM_COLUMNS,
  type ParkedDetails,
  type ParkedItem,
  type ParkedRow,
  toDetails,
  toItem,
} from "./parked-item.ts";
import { blockedByParked } from "./ordered-parked.ts";
import type { NewParked } from "./parked-source.ts";
import type { CheckedFilter } from "./parked-filter.ts";

/** Time to live of the cached count: counting scans the index. */
const COUNT_TTL_MS = 5000;

/** Maximum number of rows removed by one statement. */
const PRUNE_BATCH = 1000;

/** The table of parked work. */
export class ParkedStore {
  private readonly base: KernelBase;
  private cachedCount = 0;
  private cachedAt: number | null = null;

  constructor(base: KernelBase) {
    this.base = base;
  }

  /** Returns whether `maxParked` rows are parked or replaying. The limit may be exceeded: rows of other processes count after up to 5 s, and a batch is parked as a whole. */
  async isFull(queries: Queries = this.base.db): Promise<boolean> {
    const { clock, config } = this.base;
    const isStale = this.cachedAt === null || clock.now() - this.cachedAt > COUNT_TTL_MS;
    if (isStale) await this.count(queries);
    return this.cachedCount >= config.maxParked;
  }

  /** Number of parked and replaying rows at the last count, plus the rows that this process has parked since. */
  get lastCount(): number {
    return this.cachedCount;
  }

  async count(queries: Queries = this.base.db): Promise<number> {
    this.cachedCount =
      (await queries.fetchValue<number>`SELECT count(*) FROM framework_parked WHERE state IN ('parked', 'replaying')`) ??
      0;
    this.cachedAt = this.base.clock.now();
    return this.cachedCount;
  }

  async add(tx: Transaction, { state = "parked", ...work }: NewParked): Promise<void> {
    const { now, config } = this.base;
    const failure = work.failure ?? blockedByParked;
    await tx.execute`INSERT INTO framework_parked
      (source, name, key, lane, payload, headers, detail, error_class, error_message, error_code, stack, stack_hash, attempts, first_at, last_at, code_version, state)
      VALUES (${work.source}, ${work.name}, ${work.key}, ${work.lane ?? null}, ${work.payload}, ${work.headers}, ${work.detail}, ${failure.name}, ${failure.message},
        ${failure.code}, ${failure.stack}, ${stackHash(failure)}, ${work.attempts}, ${work.firstAt}, ${now}, ${config.codeVersion}, ${state})`;
    tx.onCommit(() => this.cachedCount++);
  }

  async list({ source, name, key, state, after, limit }: CheckedFilter): Promise<readonly ParkedItem[]> {
    const text = `SELECT ${ITEM_COLUMNS} FROM framework_parked WHERE state = $1 AND id > $2 AND (CAST($3 AS TEXT) IS NULL OR source = $3)
      AND (CAST($4 AS TEXT) IS NULL OR name = $4) AND (CAST($5 AS TEXT) IS NULL OR key = $5) ORDER BY id LIMIT $6`;
    const rows = await this.base.db.query<ParkedRow>(text, [state, after, source, name, key, limit]);
    return rows.map(toItem);
  }

  async get(id: number): Promise<ParkedDetails | null> {
    const row = await this.base.db.fetchOne<ParkedRow>`SELECT * FROM framework_parked WHERE id = ${id}`;
    return row === null ? null : toDetails(row);
  }

  /** Marks parked work as replayed, and returns it; `null` if it is no longer parked. */
  async markReplayed(tx: Transaction, id: number): Promise<ParkedDetails | null> {
    const row =
      await tx.fetchOne<ParkedRow>`UPDATE framework_parked SET state = 'replayed', closed_at = ${this.base.now}
      WHERE id = ${id} AND state = 'parked' RETURNING *`;
    tx.onCommit(() => this.invalidateCount());
    return row === null ? null : toDetails(row);
  }

  /** Returns the source of an item; `null` for an unknown id. */
  async sourceOf(tx: Transaction, id: number): Promise<string | null> {
    return await tx.fetchValue<string>`SELECT source FROM framework_parked WHERE id = ${id}`;
  }

  /** Marks parked work as discarded. Returns the number of rows. */
  async discard(tx: Transaction, ids: readonly number[], note: string): Promise<number> {
    let discarded = 0;
    const inOrder = ids.toSorted((a, b) => a - b); // concurrent calls lock rows in one order, so they cannot deadlock
    for (const id of inOrder) {
      const { changes } =
        await tx.execute`UPDATE framework_parked SET state = 'discarded', note = ${note}, closed_at = ${this.base.now}
        WHERE id = ${id} AND state IN ('parked', 'replaying')`;
      discarded += changes;
    }
    tx.onCommit(() => this.invalidateCount());
    return discarded;
  }

  /** Removes up to 1,000 rows that were replayed or discarded more than `keepParkedSecs` ago. Returns their number. */
  async prune(): Promise<number> {
    const { db, now, config } = this.base;
    const keepMs = Math.ceil(config.keepParkedSecs * 1000);
    const { changes } = await db.execute`DELETE FROM framework_parked WHERE id IN
      (SELECT id FROM framework_parked WHERE closed_at IS NOT NULL AND closed_at <= ${now} - ${keepMs} LIMIT ${PRUNE_BATCH})`;
    return changes;
  }

  private invalidateCount(): void {
    this.cachedAt = null;
  }
}
