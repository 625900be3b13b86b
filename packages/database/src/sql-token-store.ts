import { createHash } from "node:crypto";
import { type Clock, systemClock } from "@framework/core/feature";
import { expirySweep } from "./expiry-sweep.ts";
import { migrate } from "./migrations/migrate.ts";
import type { SetMigration } from "./migrations/set-migrations.ts";
import type { Database } from "./queries.ts";
import { sql } from "./statement.ts";

/** A store for `JwtConfig.store`: the port `TokenStore` of `@framework/auth`. */
export interface SqlTokenStore {
  /** Revokes an id. @param expiresAt Unix seconds until which it stays revoked; the later of two expiries applies */
  revoke(id: string, expiresAt: number): Promise<void>;
  /** Returns whether an id is revoked. */
  isRevoked(id: string): Promise<boolean>;
  /** Atomically consumes a generation of an id. True for exactly one caller, and only if no later generation was consumed and the id was not revoked. */
  consume(id: string, generation: number, expiresAt: number): Promise<boolean>;
}

/** Options of `sqlTokenStore`. */
export interface SqlTokenStoreOptions {
  /** Clock for expiry times. @default the system clock */
  readonly clock?: Clock;
  /** Called with the error of a removal of expired tokens. If it throws, a process warning is emitted. @default a process warning */
  readonly onSweepError?: (error: unknown) => void;
}

/** Number of writes between two removals of expired tokens. */
const WRITES_PER_SWEEP = 1000;

/**
 * Creates a store of revoked tokens and renewed logins in the database: shared by all processes that use it, and persistent across restarts.
 *
 * The first use creates the table `framework_tokens`, by a migration of the set `tokens`. Each id is one row, stored as its SHA-256; every
 * 1,000th write removes expired rows in the background.
 *
 * @example
 * const auth = new JwtAuth({ secret, store: sqlTokenStore(app.db) });
 * @throws DatabaseUnavailableError (503) if the database is unavailable: no token is accepted unchecked
 */
export const sqlTokenStore = (
  db: Database,
  { clock = systemClock, onSweepError }: SqlTokenStoreOptions = {},
): SqlTokenStore => {
  let table: Promise<void> | null = null;
  const ready = (): Promise<void> => {
    table ??= makeTable(db).catch((error: unknown) => {
      table = null; // the next call makes another attempt
      throw error;
    });
    return table;
  };
  const countWrite = expirySweep({
    everyWrites: WRITES_PER_SWEEP,
    remove: () => db.execute`DELETE FROM framework_tokens WHERE expires_at <= ${clock.date() / 1000 - 60}`,
    subject: "expired tokens",
    onError: onSweepError,
  });
  /** The later expiry of an entry and its replacement. */
  const later = sql`CASE WHEN excluded.expires_at > framework_tokens.expires_at
    THEN excluded.expires_at ELSE framework_tokens.expires_at END`;
  return {
    async revoke(id, expiresAt) {
      await ready();
      await db.execute`INSERT INTO framework_tokens (id, revoked, generation, expires_at)
        VALUES (${keyOf(id)}, 1, 0, ${expiresAt})
        ON CONFLICT (id) DO UPDATE SET revoked = 1, expires_at = ${later}`;
      countWrite();
    },
    async isRevoked(id) {
      await ready();
      const found = await db.fetchValue`SELECT 1 FROM framework_tokens
        WHERE id = ${keyOf(id)} AND revoked = 1 AND expires_at > ${clock.date() / 1000}`;
      return found !== null;
    },
    async consume(id, generation, expiresAt) {
      await ready();
      const { changes } = await db.execute`INSERT INTO framework_tokens (id, revoked, generation, expires_at)
        VALUES (${keyOf(id)}, 0, ${generation}, ${expiresAt})
        ON CONFLICT (id) DO UPDATE SET generation = excluded.generation, expires_at = ${later}
        WHERE framework_tokens.revoked = 0 AND framework_tokens.generation < excluded.generation`;
      countWrite();
      return changes === 1;
    },
  };
};

const migrations: readonly SetMigration[] = [
  {
    number: 1,
    name: "tokens",
    up: `CREATE TABLE framework_tokens (id TEXT PRIMARY KEY, revoked INTEGER NOT NULL,
      generation BIGINT NOT NULL, expires_at DOUBLE PRECISION NOT NULL)`,
  },
];

/** Uses a migration, because on PostgreSQL concurrent CREATE TABLE IF NOT EXISTS statements fail with various errors. */
const makeTable = async (db: Database): Promise<void> => {
  await migrate(db, { set: "tokens", migrations: migrations, timeoutSecs: 10 });
};

const keyOf = (id: string): string => createHash("sha256").update(Buffer.from(id, "utf16le")).digest("hex");
