import { createHash } from "node:crypto";
import { DatabaseError } from "./database-errors.ts";
import type { Database } from "./queries.ts";

/** A store for `JwtConfig.store`: the port `TokenStore` of `@framework/auth`. */
export interface SqlTokenStore {
  revoke(id: string, expiresAt: number): Promise<void>;
  isRevoked(id: string): Promise<boolean>;
  consume(id: string, expiresAt: number): Promise<boolean>;
}

export interface SqlTokenStoreOptions {
  /** Milliseconds since 1970. @default Date.now */
  readonly now?: () => number;
}

/** Writes between two removals of expired tokens. */
const WRITES_PER_SWEEP = 1000;

/**
 * Stores revoked tokens in the database, shared by all hosts and across restarts.
 *
 * It creates its table `framework_tokens` on first use, and removes expired tokens as it writes. Ids are stored as SHA-256.
 *
 * @example
 * const auth = new JwtAuth({ secret, store: sqlTokenStore(app.db) });
 * @throws DatabaseUnavailableError (503) when the database does not answer: no token is accepted unchecked
 */
export const sqlTokenStore = (db: Database, { now = Date.now }: SqlTokenStoreOptions = {}): SqlTokenStore => {
  let table: Promise<void> | null = null;
  let writes = 0;
  const ready = (): Promise<void> => {
    table ??= makeTable(db).catch((error: unknown) => {
      table = null; // the next call tries again
      throw error;
    });
    return table;
  };
  const swept = async (): Promise<void> => {
    if (++writes % WRITES_PER_SWEEP !== 0) return;
    await db.execute`DELETE FROM framework_tokens WHERE expires_at <= ${now() / 1000 - 60}`;
  };
  return {
    async revoke(id, expiresAt) {
      await ready();
      await db.execute`INSERT INTO framework_tokens (token, expires_at) VALUES (${keyOf("revoked", id)}, ${expiresAt})
        ON CONFLICT (token) DO UPDATE SET expires_at = excluded.expires_at
        WHERE excluded.expires_at > framework_tokens.expires_at`;
      await swept();
    },
    async isRevoked(id) {
      await ready();
      const found = await db.fetchValue`SELECT 1 FROM framework_tokens
        WHERE token = ${keyOf("revoked", id)} AND expires_at > ${now() / 1000}`;
      return found !== null;
    },
    async consume(id, expiresAt) {
      await ready();
      const { changes } = await db.execute`INSERT INTO framework_tokens (token, expires_at)
        VALUES (${keyOf("used", id)}, ${expiresAt}) ON CONFLICT (token) DO NOTHING`;
      await swept();
      return changes === 1;
    },
  };
};

const TABLE =
  "CREATE TABLE IF NOT EXISTS framework_tokens (token TEXT PRIMARY KEY, expires_at DOUBLE PRECISION NOT NULL)";

/** When two hosts create the table at once, PostgreSQL fails one of them despite IF NOT EXISTS. */
const makeTable = async (db: Database): Promise<void> => {
  try {
    await db.execute(TABLE);
  } catch (error) {
    if (!(error instanceof DatabaseError) || error.kind !== "unique") throw error;
  }
};

const keyOf = (kind: string, id: string): string =>
  createHash("sha256")
    .update(Buffer.from(`${kind}:${id}`, "utf16le"))
    .digest("hex");
