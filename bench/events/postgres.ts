import { randomUUID } from "node:crypto";
import { type BarePool, loadPg } from "../data/packages.ts";
import { type Comparison, compareImplementations } from "../data/compare-implementations.ts";
import { data, newStream } from "./data.ts";
import { openDatabase, openEventStore } from "./packages.ts";

/** Concurrent callers, and connections for them. */
const CALLERS = 8;

/**
 * A hand-written append: one statement that updates the version of the stream, then inserts its events. It takes no lock to keep readers from missing events,
 * checks no ids for idempotency, and expects no version.
 */
const bareText = (columns: string, from: string, count: string): string => `WITH stream AS (
    INSERT INTO framework_streams AS s (tenant, stream, category, version, updated_at)
    VALUES ($1, $2, $3, ${count}, (extract(epoch FROM clock_timestamp()) * 1000)::bigint)
    ON CONFLICT (tenant, stream) DO UPDATE SET version = s.version + excluded.version, updated_at = excluded.updated_at
    RETURNING version, updated_at)
  INSERT INTO framework_events
    (position, tenant, stream, version, event_id, category, type, schema_version, data, metadata, recorded_at)
  SELECT nextval('framework_event_positions'), $1, $2, ${columns}, stream.updated_at FROM stream ${from}
  RETURNING position, version`;

const one = bareText("stream.version, $4, $3, $5, 1, $6::json, NULL", "", "1");
const many = bareText(
  "stream.version - $4::bigint + e.number, e.id, $3, e.type, 1, e.data, NULL",
  ", unnest($5::text[], $6::text[], $7::json[]) WITH ORDINALITY AS e(id, type, data, number)",
  "$4::bigint",
);

const appendBare = async (pool: BarePool, events: number, number: number): Promise<unknown> => {
  const stream = newStream();
  if (events === 1) {
    const values = ["", stream, "loan", randomUUID(), "Lent", JSON.stringify(data(number))];
    return await pool.query({ name: "one", text: one, values });
  }
  const documents = Array.from({ length: events }, () => JSON.stringify(data(number)));
  const values = [
    "",
    stream,
    "loan",
    events,
    documents.map(() => randomUUID()),
    documents.map(() => "Lent"),
    documents,
  ];
  return await pool.query({ name: "many", text: many, values });
};

/** Makes `calls` appends from several concurrent callers. */
const fromCallers = async (calls: number, append: (number: number) => Promise<unknown>): Promise<void> => {
  let left = calls;
  const caller = async (): Promise<void> => {
    while (left-- > 0) await append(left);
  };
  await Promise.all(Array.from({ length: CALLERS }, caller));
};

/** Compares appends of `events` events on PostgreSQL: the store with a `pg` pool. */
export const comparePostgres = async (url: string, events: number, rounds: number): Promise<Comparison> => {
  const db = openDatabase({ url, poolSize: CALLERS });
  const store = await openEventStore({}, { db });
  const pool = new (loadPg().Pool)({ connectionString: url, max: CALLERS });
  pool.on("error", () => {}); // idle connections fail when the server stops
  const batch = (number: number): { type: string; data: object }[] =>
    Array.from({ length: events }, () => ({ type: "Lent", data: data(number) }));
  try {
    return await compareImplementations(
      {
        name: "store",
        run: (calls) => fromCallers(calls, (number) => store.append(newStream(), batch(number))),
      },
      { name: "pg", run: (calls) => fromCallers(calls, (number) => appendBare(pool, events, number)) },
      { calls: Math.ceil(2000 / events ** 0.5), rounds },
    );
  } finally {
    await pool.end();
    await store.close();
    await db.close();
  }
};
