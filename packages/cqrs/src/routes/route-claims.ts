import { type Database, sql } from "@framework/database";
import type { Kernel, LeasedTable, RowLeases } from "@framework/durable/feature";
import { tooBusy } from "../failures/command-errors.ts";
import { keyRunning } from "../idempotency/key-errors.ts";
import type { KeyClaim, StoredResult, StoredResults } from "../idempotency/stored-results.ts";
import { MAX_ROUTE_KEYS } from "../limits.ts";

/** A key that a running handler holds. */
export interface HeldKey {
  readonly id: string;
  /** Fencing token: incremented at each takeover of the row, so a result of an earlier holder is refused. */
  readonly fence: number;
}

/** Maximum number of attempts of a claim whose row disappears between two statements. */
const MAX_ROUNDS = 3;

/** Leases idempotency keys for handlers of routes while they run, because their changes are not in the same transaction as the key. */
export class RouteClaims implements LeasedTable {
  readonly name = "framework_idempotency_keys";
  private readonly kernel: Kernel;
  private readonly results: StoredResults;
  private readonly keepMs: number;
  private readonly held = new Set<string>();
  /** Number of claims in progress, each of which may add a held key. */
  private claiming = 0;
  private readonly leases: RowLeases;

  constructor(kernel: Kernel, results: StoredResults, keepMs: number) {
    this.kernel = kernel;
    this.results = results;
    this.keepMs = keepMs;
    this.leases = kernel.leaseRows(this);
  }

  /**
   * Claims a key for a handler that is about to run, or returns the result stored with it.
   *
   * @throws HttpError 409 (CQRS_KEY_RUNNING, CQRS_RESULT_NOT_KEPT), 422 (CQRS_KEY_REUSED), 503 (CQRS_BUSY)
   */
  async claim(claim: KeyClaim): Promise<HeldKey | StoredResult> {
    const count = this.held.size + this.claiming;
    if (count >= MAX_ROUTE_KEYS) throw tooBusy(`${count} handlers hold or claim idempotency keys`);
    this.claiming++;
    try {
      return await this.claimOrFind(claim);
    } finally {
      this.claiming--;
    }
  }

  private async claimOrFind(claim: KeyClaim): Promise<HeldKey | StoredResult> {
    await this.leases.join();
    for (let round = 0; round < MAX_ROUNDS; round++) {
      // A handler in this process that holds the key is still running, even if its lease seems to have expired: the clock may have jumped, or renewals failed.
      const fence = this.held.has(claim.id) ? null : await this.take(claim);
      if (fence !== null) {
        this.held.add(claim.id);
        return { id: claim.id, fence };
      }
      const stored = await this.results.find(this.kernel.db, claim);
      if (stored !== null) return stored;
    }
    throw keyRunning();
  }

  private async take({ id, operation, fingerprint }: KeyClaim): Promise<number | null> {
    const { db, now } = this.kernel;
    const { owner, leaseMs } = this.leases;
    return await db.fetchValue<number>`INSERT INTO framework_idempotency_keys AS k
        (id, operation, fingerprint, state, owner, fence, lease_until, expires_at)
      VALUES (${id}, ${operation}, ${fingerprint}, 'running', ${owner}, 1, ${now} + ${leaseMs}, ${now} + ${this.keepMs})
      ON CONFLICT (id) DO UPDATE SET operation = excluded.operation, fingerprint = excluded.fingerprint, state = 'running',
        status = NULL, headers = NULL, body = NULL, owner = excluded.owner, fence = k.fence + 1,
        lease_until = excluded.lease_until, expires_at = excluded.expires_at
      WHERE (k.lease_until IS NULL OR k.lease_until <= ${now})
        AND (k.expires_at <= ${now} OR (k.state = 'running' AND k.fingerprint = excluded.fingerprint))
      RETURNING fence`;
  }

  /** Stores the reply with the key. Resolves to `false` if another process has taken over the key. */
  async complete({ id, fence }: HeldKey, result: StoredResult | null): Promise<boolean> {
    const { db, now } = this.kernel;
    this.held.delete(id); // stops renewals, even if the statement fails
    const state = result === null ? "not-kept" : "done";
    const { changes } = await db.execute`UPDATE framework_idempotency_keys
      SET state = ${state}, status = ${result?.status ?? null}, headers = ${JSON.stringify(result?.headers ?? {})},
        body = ${result?.body ?? null}, owner = NULL, lease_until = NULL, expires_at = ${now} + ${this.keepMs}
      WHERE id = ${id} AND fence = ${fence} AND owner = ${this.leases.owner}`;
    return changes === 1;
  }

  /** Deletes the key: the next request with it runs the handler. */
  async release({ id, fence }: HeldKey): Promise<void> {
    this.held.delete(id);
    await this.kernel.db.execute`DELETE FROM framework_idempotency_keys
      WHERE id = ${id} AND fence = ${fence} AND owner = ${this.leases.owner}`;
  }

  /** Stops renewing the lease: the key becomes free when it expires. */
  abandon({ id }: HeldKey): void {
    this.held.delete(id);
  }

  async renew(signal: AbortSignal): Promise<void> {
    if (this.held.size === 0) return;
    const { db, now } = this.kernel;
    const { owner, leaseMs } = this.leases;
    const ids = idsIn[db.dialect](JSON.stringify([...this.held]));
    await db.until(signal, { isUrgent: true })
      .execute`UPDATE framework_idempotency_keys SET lease_until = ${now} + ${leaseMs}
      WHERE owner = ${owner} AND id IN (${ids})`;
  }

  async expire(owners: readonly string[]): Promise<number> {
    const { changes } = await this.kernel.db.execute`UPDATE framework_idempotency_keys SET lease_until = 0
      WHERE owner IN (${sql.list(owners)}) AND lease_until > 0`;
    return changes;
  }
}

/** Passes a list of any length as one parameter. */
const idsIn: Readonly<Record<Database["dialect"], (list: string) => ReturnType<typeof sql>>> = {
  postgres: (list) => sql`SELECT json_array_elements_text(${list}::json)`,
  sqlite: (list) => sql`SELECT value FROM json_each(${list})`,
};

/** Whether a claim returned a held key, not a stored result. */
export const isHeld = (claimed: HeldKey | StoredResult): claimed is HeldKey => "fence" in claimed;
