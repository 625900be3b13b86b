import { type Database, sql, type Statement } from "@framework/database";

/** A database clock for tests: a row of a table that only the test changes. */
export interface TableClock {
  /** Value for the option `now` of a kernel on the same database. */
  readonly now: Statement;
  /** Returns the current time in milliseconds. */
  read(): Promise<number>;
  /** Advances the time. */
  advance(ms: number): Promise<void>;
}

/** Creates the table `framework_test_clock`, unless it exists, and returns its clock. */
export const tableClock = async (db: Database, start: number = 1_000_000): Promise<TableClock> => {
  await db.execute(
    "CREATE TABLE IF NOT EXISTS framework_test_clock (id INTEGER PRIMARY KEY, ms BIGINT NOT NULL)",
  );
  await db.execute`INSERT INTO framework_test_clock (id, ms) VALUES (1, ${start}) ON CONFLICT (id) DO NOTHING`;
  return {
    now: sql`(SELECT ms FROM framework_test_clock)`,
    read: async () => (await db.fetchValue<number>`SELECT ms FROM framework_test_clock`) ?? 0,
    advance: async (ms) => void (await db.execute`UPDATE framework_test_clock SET ms = ms + ${ms}`),
  };
};
