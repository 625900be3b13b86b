import type { Kernel } from "@framework/durable/feature";
import { type Queries, sql, type Transaction } from "@framework/database";
import { keyReused, keyRunning, resultNotKept } from "./key-errors.ts";
import type { KeyId } from "./key-id.ts";

/** A key that one call uses. */
export interface KeyClaim extends KeyId {
  readonly operation: string;
  /** Fingerprint of the input that came with the key. */
  readonly fingerprint: string;
}

/** A result as it is stored. */
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

/** The results of calls with idempotency keys, in the database. */
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
   * Makes a transaction the only one that uses a key until it ends, and returns whether that worked. On SQLite the transaction itself is the only one that
   * writes.
   */
  async lock(tx: Transaction, { lock }: KeyId): Promise<boolean> {
    if (this.kernel.db.dialect === "sqlite") return true;
    return (await tx.fetchValue`SELECT pg_try_advisory_xact_lock(${lock})`) === true;
  }

  /** Returns the result that was stored with a key; `null` for a new one. @throws HttpError 422 for another fingerprint, 409 for a result that was not kept */
  async find(tx: Queries, { id, fingerprint }: KeyClaim): Promise<StoredResult | null> {
    const row = await tx.fetchOne<ResultRow>`SELECT fingerprint, state, status, headers, body
      FROM framework_idempotency_keys WHERE id = ${id} AND expires_at > ${this.kernel.now}`;
    if (row === null) return null;
    if (row.fingerprint !== fingerprint) throw keyReused();
    if (row.state === "running") throw keyRunning();
    if (row.state !== "done") throw resultNotKept();
    const headers = JSON.parse(row.headers ?? "{}") as StoredResult["headers"]; // as `save` wrote it
    return { status: row.status ?? 200, headers, body: row.body };
  }

  /** Stores the result with its key. Without a result, or with one that is too large, only the key is stored. */
  async save(
    tx: Transaction,
    { id, operation, fingerprint }: KeyClaim,
    result: StoredResult | null,
  ): Promise<void> {
    const isKept = result !== null && (result.body?.byteLength ?? 0) <= this.maxBytes;
    const { status, headers, body } = isKept ? result : { status: null, headers: {}, body: null };
    const values = sql.list([
      id,
      operation,
      fingerprint,
      isKept ? "done" : "not-kept",
      status,
      JSON.stringify(headers),
      body,
    ]);
    await tx.execute`INSERT INTO framework_idempotency_keys
        (id, operation, fingerprint, state, status, headers, body, expires_at)
      VALUES (${values}, ${this.kernel.now} + ${this.keepMs})
      ON CONFLICT (id) DO UPDATE SET operation = excluded.operation, fingerprint = excluded.fingerprint,
        state = excluded.state, status = excluded.status, headers = excluded.headers, body = excluded.body,
        owner = NULL, lease_until = NULL, expires_at = excluded.expires_at`;
  }
}
