import { randomUUID } from "node:crypto";
import { mkdtempDisposableSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { type Comparison, compareImplementations } from "../data/compare-implementations.ts";
import { data, newStream } from "./data.ts";
import { openDatabase, openEventStore } from "./packages.ts";

/** Options of a comparison of appends on SQLite. */
export interface SqliteCase {
  /** Events of one append. */
  readonly events: number;
  /** Concurrent callers. The bare library is synchronous: it appends sequentially, with one commit each. */
  readonly callers: number;
  readonly synchronous: "full" | "normal";
}

/** Returns a hand-written append with prepared statements. */
const bareAppend = (file: string, synchronous: string): ((events: number, number: number) => void) => {
  const db = new DatabaseSync(file, { timeout: 5000 });
  db.exec(`PRAGMA journal_mode = WAL; PRAGMA synchronous = ${synchronous}; PRAGMA foreign_keys = ON`);
  const [begin, commit] = [db.prepare("BEGIN IMMEDIATE"), db.prepare("COMMIT")];
  const upsertStream =
    db.prepare(`INSERT INTO framework_streams AS s (tenant, stream, category, version, updated_at)
    VALUES (?, ?, ?, ?, CAST(unixepoch('subsec') * 1000 AS INTEGER))
    ON CONFLICT (tenant, stream) DO UPDATE SET version = s.version + excluded.version, updated_at = excluded.updated_at
    RETURNING version, updated_at`);
  const insert = db.prepare(`INSERT INTO framework_events
    (tenant, stream, version, category, event_id, type, schema_version, data, metadata, recorded_at)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, NULL, ?) RETURNING position`);
  return (events, number) => {
    const stream = newStream();
    begin.run();
    const { version, updated_at } = upsertStream.get("", stream, "loan", events) as {
      version: number;
      updated_at: number;
    };
    for (let at = 1; at <= events; at++)
      insert.get(
        "",
        stream,
        version - events + at,
        "loan",
        randomUUID(),
        "Lent",
        1,
        JSON.stringify(data(number)),
        updated_at,
      );
    commit.run();
  };
};

/** Compares appends on an SQLite file: the store with prepared statements of `node:sqlite`. */
export const compareSqlite = async (
  { events, callers, synchronous }: SqliteCase,
  rounds: number,
): Promise<Comparison> => {
  using folder = mkdtempDisposableSync(join(tmpdir(), "bench-events-"));
  const file = join(folder.path, "events.db");
  const db = openDatabase({ url: `sqlite://${file}`, synchronous });
  const store = await openEventStore({}, { db });
  const bare = bareAppend(file, synchronous);
  const batch = (number: number): { type: string; data: object }[] =>
    Array.from({ length: events }, () => ({ type: "Lent", data: data(number) }));
  const ours = async (calls: number): Promise<void> => {
    let left = calls;
    const caller = async (): Promise<void> => {
      while (left-- > 0) await store.append(newStream(), batch(left));
    };
    await Promise.all(Array.from({ length: callers }, caller));
  };
  try {
    return await compareImplementations(
      { name: "store", run: ours },
      {
        name: "node:sqlite",
        run: async (calls) => {
          for (let number = 0; number < calls; number++) bare(events, number);
        },
      },
      { calls: Math.ceil(400 / events ** 0.5), rounds },
    );
  } finally {
    await store.close();
    await db.close();
  }
};
