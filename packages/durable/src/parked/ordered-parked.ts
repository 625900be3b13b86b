import { type Queries, sql, type Statement, type Transaction } from "@framework/database";
import type { KernelBase } from "../base/kernel-base.ts";
import { type Failure, stackHash } from "./failure.ts";
import { type ParkedDetails, type ParkedRow, toDetails } from "./parked-item.ts";
import type { HeldState, ParkedInOrder, ParkedOrigin } from "./parked-source.ts";

/** Parked work of sources that keep the order of each key. */
export class OrderedParked implements ParkedInOrder {
  private readonly base: KernelBase;

  constructor(base: KernelBase) {
    this.base = base;
  }

  async heldKeys(
    queries: Queries,
    { source, name }: ParkedOrigin,
    keys: readonly string[],
  ): Promise<ReadonlyMap<string, HeldState>> {
    const rows = await queries.query<{ key: string; state: HeldState }>`SELECT key, min(state) AS state
      FROM framework_parked WHERE source = ${source} AND name = ${name} AND ${this.isOneOf(keys)} AND closed_at IS NULL GROUP BY key`;
    return new Map(rows.map(({ key, state }) => [key, state]));
  }

  isHolding({ source, name }: ParkedOrigin): Statement {
    return sql`EXISTS (SELECT 1 FROM framework_parked WHERE source = ${source} AND name = ${name} AND closed_at IS NULL)`;
  }

  isReplaying({ source, name }: ParkedOrigin, lane: number): Statement {
    return sql`EXISTS (SELECT 1 FROM framework_parked
      WHERE source = ${source} AND name = ${name} AND lane = ${lane} AND state = 'replaying')`;
  }

  /**
   * Marks an item as replaying, with the items that are blocked by it alone; the owner of the lane applies them.
   *
   * @returns the item, or the reason why it was not marked
   */
  async replay(tx: Transaction, id: number): Promise<ParkedDetails | string> {
    const row = await tx.fetchOne<ParkedRow>`UPDATE framework_parked AS own SET state = 'replaying'
      WHERE id = ${id} AND state IN ('parked', 'replaying') AND NOT EXISTS (
        SELECT 1 FROM framework_parked AS earlier WHERE earlier.source = own.source AND earlier.name = own.name AND earlier.key = own.key
          AND earlier.id < own.id AND earlier.closed_at IS NULL AND earlier.state = 'parked') RETURNING *`;
    if (row === null) return await this.reasonOf(tx, id);
    const item = toDetails(row);
    await this.markBlocked(tx, item);
    return item;
  }

  async next(queries: Queries, { source, name }: ParkedOrigin, lane: number): Promise<ParkedDetails | null> {
    const row = await queries.fetchOne<ParkedRow>`SELECT * FROM framework_parked AS own
      WHERE source = ${source} AND name = ${name} AND lane = ${lane} AND state = 'replaying' AND NOT EXISTS (
        SELECT 1 FROM framework_parked AS earlier WHERE earlier.source = own.source AND earlier.name = own.name AND earlier.key = own.key
          AND earlier.id < own.id AND earlier.closed_at IS NULL)
      ORDER BY id LIMIT 1`;
    return row === null ? null : toDetails(row);
  }

  async markReplayed(tx: Transaction, item: ParkedDetails): Promise<boolean> {
    const { changes } =
      await tx.execute`UPDATE framework_parked SET state = 'replayed', closed_at = ${this.base.now}
      WHERE id = ${Number(item.id)} AND state = 'replaying'`;
    if (changes !== 1) return false;
    await this.markBlocked(tx, item);
    return true;
  }

  async parkAgain(
    tx: Transaction,
    { id, source, name, key }: ParkedDetails,
    failure: Failure,
  ): Promise<void> {
    const { now, config } = this.base;
    await tx.execute`UPDATE framework_parked SET state = 'parked'
      WHERE source = ${source} AND name = ${name} AND key = ${key} AND state = 'replaying'`;
    await tx.execute`UPDATE framework_parked SET attempts = attempts + 1, last_at = ${now}, code_version = ${config.codeVersion},
      error_class = ${failure.name}, error_message = ${failure.message}, error_code = ${failure.code}, stack = ${failure.stack},
      stack_hash = ${stackHash(failure)} WHERE id = ${Number(id)} AND state = 'parked'`;
  }

  async discardAll(tx: Transaction, { source, name }: ParkedOrigin, note: string): Promise<number> {
    const { changes } =
      await tx.execute`UPDATE framework_parked SET state = 'discarded', note = ${note}, closed_at = ${this.base.now}
      WHERE source = ${source} AND name = ${name} AND closed_at IS NULL`;
    return changes;
  }

  async counts(source: string): Promise<ReadonlyMap<string, number>> {
    const rows = await this.base.db.query<{ name: string; items: number }>`SELECT name, count(*) AS items
      FROM framework_parked WHERE source = ${source} AND closed_at IS NULL GROUP BY name`;
    return new Map(rows.map(({ name, items }) => [name, items]));
  }

  private async reasonOf(tx: Transaction, id: number): Promise<string> {
    const state = await tx.fetchValue<string>`SELECT state FROM framework_parked WHERE id = ${id}`;
    return state === "parked" ? "an earlier item of its key is parked; replay or discard that" : NOT_PARKED;
  }

  /** Marks the items blocked by an item as replaying. */
  private async markBlocked(tx: Transaction, { source, name, key }: ParkedDetails): Promise<void> {
    await tx.execute`UPDATE framework_parked SET state = 'replaying' WHERE source = ${source} AND name = ${name} AND key = ${key}
      AND closed_at IS NULL AND state = 'parked' AND error_code = ${blockedByParked.code}`;
  }

  /** One statement text for any number of keys, so that it can be prepared. */
  private isOneOf(keys: readonly string[]): Statement {
    return this.base.db.dialect === "postgres"
      ? sql`key = ANY (${keys})`
      : sql`key IN (SELECT value FROM json_each(${JSON.stringify(keys)}))`;
  }
}

/** The reason for not replaying an item in another state. */
export const NOT_PARKED = "it is not parked";

/** The failure of an item that is blocked by an earlier parked item of its key. */
export const blockedByParked: Failure = {
  name: "BlockedByParked",
  message: "an earlier item of its key is parked",
  code: "DURABLE_PARKED_BEHIND",
  stack: null,
};
