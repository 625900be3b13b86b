import { DatabaseSync } from "node:sqlite";
import { type BareClient, loadPg } from "./packages.ts";
import { BATCH, COLUMNS, foldBatch, type Lent, upsertText } from "./view.ts";

/** Builds the view with the database driver alone, for comparison: a loop that reads events after a stored position. */
export interface BareCursor {
  /** Builds the view from the beginning; returns the number of events. */
  run(): Promise<number>;
  close(): Promise<void>;
}

const create = `DROP TABLE IF EXISTS bare_view; DROP TABLE IF EXISTS bare_cursor;
  CREATE TABLE bare_view (${COLUMNS}); CREATE TABLE bare_cursor (position BIGINT NOT NULL); INSERT INTO bare_cursor VALUES (0)`;

const select = (data: string, position: string): string =>
  `SELECT position, stream, type, ${data} AS data FROM framework_events WHERE position > ${position} ORDER BY position LIMIT ${BATCH}`;

interface Row {
  readonly position: number | string;
  readonly stream: string;
  readonly type: string;
  readonly data: string;
}

const foldRows = (rows: readonly Row[]): string =>
  JSON.stringify(
    foldBatch(rows.map(({ stream, type, data }) => ({ stream, type, data: JSON.parse(data) as Lent }))),
  );

/** Uses `pg`: one connection, prepared statements; one read per batch, and one transaction that writes the view and the position. */
export const barePostgres = async (url: string): Promise<BareCursor> => {
  const client: BareClient = new (loadPg().Client)({ connectionString: url });
  await client.connect();
  const upsert = upsertText("postgres", "bare_view");
  const run = async (): Promise<number> => {
    await client.query(create);
    let count = 0;
    for (let position: number | string = 0; ;) {
      const { rows }: { readonly rows: readonly Row[] } = await client.query<Row>({
        name: "read",
        text: select("data::text", "$1"),
        values: [position],
      });
      const last = rows.at(-1);
      if (last === undefined) return count;
      ({ position } = last);
      await client.query("BEGIN");
      await client.query({ name: "upsert", text: upsert, values: [foldRows(rows)] });
      await client.query({ name: "move", text: "UPDATE bare_cursor SET position = $1", values: [position] });
      await client.query("COMMIT");
      count += rows.length;
    }
  };
  return { run, close: () => client.end() };
};

/** Uses `node:sqlite` in the same way. */
export const bareSqlite = (file: string): BareCursor => {
  const db = new DatabaseSync(file, { timeout: 5000 });
  db.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = full");
  const run = async (): Promise<number> => {
    db.exec(create);
    const read = db.prepare(select("data", "?"));
    const upsert = db.prepare(upsertText("sqlite", "bare_view").replace("$1", "?"));
    const move = db.prepare("UPDATE bare_cursor SET position = ?");
    let count = 0;
    for (let position: number | string = 0; ;) {
      const rows = read.all(position) as unknown as readonly Row[];
      const last = rows.at(-1);
      if (last === undefined) return count;
      ({ position } = last);
      db.exec("BEGIN IMMEDIATE");
      upsert.run(foldRows(rows));
      move.run(position);
      db.exec("COMMIT");
      count += rows.length;
      await new Promise((resolve) => setImmediate(resolve)); // lets other events run, as in a service
    }
  };
  return { run, close: async () => db.close() };
};
