import type { Kernel } from "@framework/durable/feature";
import { type Queries, sql, type Transaction } from "@framework/database";
import { keyReused, keyRunning, resultNotKept } from "./key-errors.ts";
import type { KeyId } from "./key-id.ts";

/** The use of an idempotency key by one call. */
export interface KeyClaim extends KeyId {
  readonly operation: string;
  /** Hash of the input of the call. */
  readonly fingerprint: string;
}

/** A stored result. */
export interface StoredResult {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array | null;
}

interface ResultRow {
  readonly fingerprint: string;
  readonly state: "done" | "not-kept" | "running";
  readonly status: number | null;
  readonly headers: string | null;
  readonly body: Uint8Array | null;
}

/** Stores the results of calls with idempotency keys in the database. */
export class StoredResults {
  private readonly kernel: Kernel;
  private readonly keepMs: number;
  private readonly maxBytes: number;

  constructor(kernel: Kernel, { keepMs, maxBytes }: { readonly keepMs: number; readonly maxBytes: number }) {
    this.kernel = kernel;
    this.keepMs = keepMs;
    this.maxBytes = maxBytes;
  }

  /**
   * Locks a key until the transaction ends, and returns the result stored with it; `null` for a new key. SQLite needs no lock, because write transactions run one
   * at a time.
   *
   * PostgreSQL locks and reads in one statement, whose snapshot may be older than the lock: `save` therefore refuses to overwrite a result.
   *
   * @throws HttpError 409 for a key in use or a result that was not stored, 422 for another fingerprint
   */
  async claim(tx: Queries, claim: KeyClaim): Promise<StoredResult | null> {
    if (this.kernel.db.dialect === "sqlite") return await this.find(tx, claim);
    const row = await tx.fetchOne<{ locked: boolean } & (ResultRow | { fingerprint: null })>`
      SELECT l.locked AS locked, k.fingerprint AS fingerprint, k.state AS state, k.status AS status, k.headers AS headers,
        k.body AS body
      FROM (SELECT pg_try_advisory_xact_lock(${claim.lock}) AS locked) AS l
      LEFT JOIN framework_idempotency_keys AS k ON k.id = ${claim.id} AND k.expires_at > ${this.kernel.now}`;
    if (row?.locked !== true) throw keyRunning();
    return row.fingerprint === null ? null : resultOf(row, claim);
  }

  /** Returns the result stored with a key; `null` for a new key. @throws HttpError 422 for another fingerprint, 409 for a key in use or a result that was not stored */
  async find(tx: Queries, claim: KeyClaim): Promise<StoredResult | null> {
    const row = await tx.fetchOne<ResultRow>`SELECT fingerprint, state, status, headers, body
      FROM framework_idempotency_keys WHERE id = ${claim.id} AND expires_at > ${this.kernel.now}`;
    return row === null ? null : resultOf(row, claim);
  }

  /**
   * Stores the result with its key. If there is no result, or it is too large, stores only the key.
   *
   * @throws HttpError 409 (CQRS_KEY_RUNNING) if another transaction has stored a result in the meantime: `tx` must be rolled back
   */
  async save(
    tx: Transaction,
    { id, operation, fingerprint }: KeyClaim,
    result: StoredResult | null,
  ): Promise<void> {
    const isStored = result !== null && (result.body?.byteLength ?? 0) <= this.maxBytes;
    const { status, headers, body } = isStored ? result : { status: null, headers: {}, body: null };
    const values = sql.list([
      id,
      operation,
      fingerprint,
      isStored ? "done" : "not-kept",
      status,
      JSON.stringify(headers),
      body,
    ]);
    const { changes } = await tx.execute`INSERT INTO framework_idempotency_keys AS k
        (id, operation, fingerprint, state, status, headers, body, expires_at)
      VALUES (${values}, ${this.kernel.now} + ${this.keepMs})
      ON CONFLICT (id) DO UPDATE SET operation = excluded.operation, fingerprint = excluded.fingerprint,
        state = excluded.state, status = excluded.status, headers = excluded.headers, body = excluded.body,
        owner = NULL, lease_until = NULL, expires_at = excluded.expires_at
      WHERE k.expires_at <= ${this.kernel.now}`;
    if (changes === 0) throw keyRunning();
  }
}

const resultOf = (row: ResultRow, { fingerprint }: KeyClaim): StoredResult => {
  if (row.fingerprint !== fingerprint) throw keyReused();
  if (row.state === "running") throw keyRunning();
  if (row.state !== "done") throw resultNotKept();
  const headers = JSON.parse(row.headers ?? "{}") as StoredResult["headers"]; // written by `save`
  return { status: row.status ?? 200, headers, body: row.body };
};
