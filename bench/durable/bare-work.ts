import { DatabaseSync } from "node:sqlite";
import { type BareRow, loadPg } from "./packages.ts";

/** Claims and completes items with hand-written SQL. */
export interface BareWork {
  /** Adds items. */
  fill(items: number, payload: string): Promise<void>;
  /** Claims and deletes items in batches of `batch` until none remains. */
  work(batch: number, handle: (payload: unknown) => void): Promise<void>;
  close(): Promise<void>;
}

const TABLE = `queue TEXT NOT NULL, run_at BIGINT NOT NULL, payload TEXT NOT NULL, owner TEXT, lease_until BIGINT,
  fence BIGINT NOT NULL DEFAULT 0, attempts INTEGER NOT NULL DEFAULT 0`;
const INDEX = "CREATE INDEX bench_work_free ON bench_work (queue, run_at, id) WHERE owner IS NULL";

const POSTGRES_NOW = "(SELECT (extract(epoch from clock_timestamp()) * 1000)::bigint)";
const postgresClaim = `UPDATE bench_work SET owner = $1, fence = fence + 1, attempts = attempts + 1, lease_until = ${POSTGRES_NOW} + 15000
  WHERE id IN (SELECT id FROM bench_work WHERE queue = $2 AND run_at <= ${POSTGRES_NOW} AND owner IS NULL ORDER BY run_at, id LIMIT $3 FOR UPDATE SKIP LOCKED)
  RETURNING id, fence, payload, attempts`;
const POSTGRES_COMPLETE =
  "DELETE FROM bench_work AS w USING unnest($1::bigint[], $2::bigint[]) AS d (id, fence) WHERE w.id = d.id AND w.fence = d.fence";

/** Uses `pg`: one connection, prepared statements, one claim and one completion per batch. */
export const barePostgres = async (url: string): Promise<BareWork> => {
  const pool = new (loadPg().Pool)({ connectionString: url, max: 1 });
  pool.on("error", () => {}); // idle connections fail when the server stops
  await pool.query({ text: "DROP TABLE IF EXISTS bench_work" });
  await pool.query({
    text: `CREATE TABLE bench_work (id BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY, ${TABLE})`,
  });
  await pool.query({ text: INDEX });
  return {
    async fill(items, payload) {
      const text =
        "INSERT INTO bench_work (queue, run_at, payload) SELECT 'bench', 0, $1 FROM generate_series(1, $2)";
      await pool.query({ text, values: [payload, items] });
    },
    async work(batch, handle) {
      for (;;) {
        const claim = { name: "claim", text: postgresClaim, values: ["me", "bench", batch] };
        const { rows } = await pool.query(claim);
        if (rows.length === 0) return;
        for (const { payload } of rows) handle(JSON.parse(payload));
        const values = [rows.map(({ id }) => id), rows.map(({ fence }) => fence)];
        await pool.query({ name: "complete", text: POSTGRES_COMPLETE, values });
      }
    },
    close: () => pool.end(),
  };
};

const SQLITE_NOW = "CAST(unixepoch('subsec') * 1000 AS INTEGER)";
const sqliteClaim = `UPDATE bench_work SET owner = ?, fence = fence + 1, attempts = attempts + 1, lease_until = ${SQLITE_NOW} + 15000
  WHERE id IN (SELECT id FROM bench_work WHERE queue = ? AND run_at <= ${SQLITE_NOW} AND owner IS NULL ORDER BY run_at, id LIMIT ?)
  RETURNING id, fence, payload, attempts`;

/** Uses `node:sqlite`: one transaction per claim, and one for the completions of each batch. */
export const bareSqlite = async (file: string): Promise<BareWork> => {
  const db = new DatabaseSync(file);
  db.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = full");
  db.exec(
    `DROP TABLE IF EXISTS bench_work; CREATE TABLE bench_work (id INTEGER PRIMARY KEY, ${TABLE}); ${INDEX}`,
  );
  const insert = db.prepare("INSERT INTO bench_work (queue, run_at, payload) VALUES ('bench', 0, ?)");
  const claim = db.prepare(sqliteClaim);
  const complete = db.prepare("DELETE FROM bench_work WHERE id = ? AND fence = ?");
  return {
    async fill(items, payload) {
      db.exec("BEGIN IMMEDIATE");
      for (let at = 0; at < items; at++) insert.run(payload);
      db.exec("COMMIT");
    },
    async work(batch, handle) {
      for (;;) {
        const rows = claim.all("me", "bench", batch) as unknown as readonly BareRow[];
        if (rows.length === 0) return;
        for (const { payload } of rows) handle(JSON.parse(payload));
        db.exec("BEGIN IMMEDIATE");
        for (const { id, fence } of rows) complete.run(id, fence);
        db.exec("COMMIT");
      }
    },
    async close() {
      db.close();
    },
  };
};
