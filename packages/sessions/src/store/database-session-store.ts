import { type Clock, type Json, systemClock } from "@framework/core/feature";
import { type Database, expirySweep, migrate, sql, type SetMigration } from "@framework/database";
import type { SessionStore } from "./session-store.ts";

/** Options of `databaseSessions`. */
export interface DatabaseSessionsOptions {
  /** Clock of expiry. @default the system clock */
  readonly clock?: Clock;
  /** Called with the error of a failed removal of expired rows; if it throws, a process warning is emitted. @default emits a process warning */
  readonly onSweepError?: (error: unknown) => void;
}

/** Number of writes between two removals of expired rows. */
const WRITES_PER_SWEEP = 500;
/** Maximum number of rows per removal, so that other statements do not wait long. */
const ROWS_PER_SWEEP = 1000;

/**
 * Stores sessions in a database, shared by all hosts and across restarts.
 *
 * The first use creates the tables `framework_sessions` and `framework_session_numbers`, by migrations of the set `sessions`. Every 500th write of a process
 * removes up to 1,000 expired rows of each, in the background.
 *
 * @example
 * app.enableSessions({ store: databaseSessions(app.db) });
 * @throws DatabaseUnavailableError (503) if the database is unavailable
 */
export const databaseSessions = (
  db: Database,
  { clock = systemClock, onSweepError }: DatabaseSessionsOptions = {},
): SessionStore => {
  let tables: Promise<unknown> | null = null;
  const ensureTables = (): Promise<unknown> => {
    tables ??= migrate(db, { set: "sessions", migrations, timeoutSecs: 10 }).catch((error: unknown) => {
      tables = null; // the next call tries again
      throw error;
    });
    return tables;
  };
  const remove = async (): Promise<void> => {
    const now = clock.date();
    // Without locks, PostgreSQL would also remove a row that another call prolongs during the statement, such as the number of a `destroyAll`.
    const locked = db.dialect === "postgres" ? sql`FOR UPDATE SKIP LOCKED` : sql``;
    await db.execute`DELETE FROM framework_sessions WHERE id IN
      (SELECT id FROM framework_sessions WHERE expires_at <= ${now} LIMIT ${ROWS_PER_SWEEP} ${locked})`;
    await db.execute`DELETE FROM framework_session_numbers WHERE id IN
      (SELECT id FROM framework_session_numbers WHERE expires_at <= ${now} LIMIT ${ROWS_PER_SWEEP} ${locked})`;
  };
  const countWrite = expirySweep({
    everyWrites: WRITES_PER_SWEEP,
    remove,
    subject: "sessions: expired rows",
    onError: onSweepError,
  });
  return {
    async read(key) {
      await ensureTables();
      const row = await db.fetchOne<Row>`SELECT version, content FROM framework_sessions
        WHERE id = ${key} AND expires_at > ${clock.date()}`;
      if (row === null) return null;
      if (row.content === null) return "ended";
      return { version: Number(row.version), content: JSON.parse(row.content) as Json };
    },
    async write(key, content, { version, ttlMs }) {
      await ensureTables();
      const [text, now] = [JSON.stringify(content), clock.date()];
      const { changes } =
        version === 0
          ? await db.execute`INSERT INTO framework_sessions (id, version, content, expires_at)
              VALUES (${key}, 1, ${text}, ${now + ttlMs})
              ON CONFLICT (id) DO UPDATE SET version = 1, content = excluded.content, expires_at = excluded.expires_at
              WHERE framework_sessions.expires_at <= ${now}`
          : await db.execute`UPDATE framework_sessions
              SET version = version + 1, content = ${text}, expires_at = ${now + ttlMs}
              WHERE id = ${key} AND version = ${version} AND content IS NOT NULL AND expires_at > ${now}`;
      countWrite();
      return changes === 1;
    },
    async end(key, ttlMs, version) {
      await ensureTables();
      const now = clock.date();
      const { changes } =
        version === undefined
          ? await db.execute`INSERT INTO framework_sessions (id, version, content, expires_at)
              VALUES (${key}, 1, NULL, ${now + ttlMs})
              ON CONFLICT (id) DO UPDATE SET version = framework_sessions.version + 1, content = NULL,
                expires_at = excluded.expires_at
              WHERE framework_sessions.content IS NOT NULL OR framework_sessions.expires_at <= ${now}`
          : await db.execute`UPDATE framework_sessions
              SET version = version + 1, content = NULL, expires_at = ${now + ttlMs}
              WHERE id = ${key} AND version = ${version} AND content IS NOT NULL AND expires_at > ${now}`;
      countWrite();
      return changes === 1;
    },
    async number(key) {
      await ensureTables();
      const found = await db.fetchValue`SELECT value FROM framework_session_numbers
        WHERE id = ${key} AND expires_at > ${clock.date()}`;
      return found === null ? 0 : Number(found);
    },
    async raise(key, value, ttlMs) {
      await ensureTables();
      const now = clock.date();
      const { changes } = await db.execute`INSERT INTO framework_session_numbers (id, value, expires_at)
        VALUES (${key}, ${value}, ${now + ttlMs})
        ON CONFLICT (id) DO UPDATE SET value = excluded.value,
          expires_at = CASE WHEN excluded.expires_at > framework_session_numbers.expires_at
            THEN excluded.expires_at ELSE framework_session_numbers.expires_at END
        WHERE framework_session_numbers.value < excluded.value OR framework_session_numbers.expires_at <= ${now}`;
      countWrite();
      return changes === 1;
    },
  };
};

interface Row {
  readonly version: number | bigint;
  readonly content: string | null;
}

const migrations: readonly SetMigration[] = [
  {
    number: 1,
    name: "sessions",
    up: `CREATE TABLE framework_sessions (id TEXT PRIMARY KEY, version BIGINT NOT NULL, content TEXT,
        expires_at DOUBLE PRECISION NOT NULL);
      CREATE INDEX framework_sessions_expiry ON framework_sessions (expires_at);
      CREATE TABLE framework_session_numbers (id TEXT PRIMARY KEY, value BIGINT NOT NULL,
        expires_at DOUBLE PRECISION NOT NULL);
      CREATE INDEX framework_session_numbers_expiry ON framework_session_numbers (expires_at)`,
  },
];
