import { createHash } from "node:crypto";
import { type Clock, systemClock } from "@framework/core/feature";
import { expirySweep } from "./expiry-sweep.ts";
import { migrate } from "./migrations/migrate.ts";
import type { SetMigration } from "./migrations/set-migrations.ts";
import type { Database } from "./queries.ts";
import { sql } from "./statement.ts";

/** A store for `JwtConfig.store`: the port `TokenStore` of `@framework/auth`. */
export interface SqlTokenStore {
  /** Revokes an id until it expires. */
  revoke(id: string, expiresAt: number): Promise<void>;
  /** Whether an id is revoked. */
  isRevoked(id: string): Promise<boolean>;
  /** Atomically consumes a generation of an id. True for exactly one caller. */
  consume(id: string, generation: number, expiresAt: number): Promise<boolean>;
}

/** Options of a token store in a database. */
export interface SqlTokenStoreOptions {
  /** Clock of expiry. @default the system clock */
  readonly clock?: Clock;
  /** Gets the error of a removal of expired tokens; an error of its own is a warning of the process. @default a warning of the process */
  readonly sweepFailed?: (error: unknown) => void;
}

/** Writes between two removals of expired tokens. */
const WRITES_PER_SWEEP = 1000;

/**
 * Stores revoked tokens and renewed logins in the database, shared by all hosts and across restarts.
 *
 * The first use creates the table `framework_tokens`, by a migration of the set `tokens`. Each id is one row, stored as its SHA-256; every
 * 1,000th write removes expired rows, beside the requests.
 *
 * @example
 * const auth = new JwtAuth({ secret, store: sqlTokenStore(app.db) });
 * @throws DatabaseUnavailableError (503) when the database does not answer: no token is accepted unchecked
 */
export const sqlTokenStore = (
  db: Database,
  { clock = systemClock, sweepFailed }: SqlTokenStoreOptions = {},
): SqlTokenStore => {
  let table: Promise<void> | null = null;
  const ready = (): Promise<void> => {
    table ??= makeTable(db).catch((error: unknown) => {
      table = null; // the next call tries again
      throw error;
    });
    return table;
  };
  const hasWritten = expirySweep({
    everyWrites: WRITES_PER_SWEEP,
    remove: () => db.execute`DELETE FROM framework_tokens WHERE expires_at <= ${clock.date() / 1000 - 60}`,
    what: "expired tokens",
    failed: sweepFailed,
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
      hasWritten();
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
      hasWritten();
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

/** As a migration, since hosts that create one table at once fail on PostgreSQL despite IF NOT EXISTS, each time with another error. */
const makeTable = async (db: Database): Promise<void> => {
  await migrate(db, { set: "tokens", migrations: migrations, timeoutSecs: 10 });
};

const keyOf = (id: string): string => createHash("sha256").update(Buffer.from(id, "utf16le")).digest("hex");
