import { setTimeout as delay } from "node:timers/promises";
import { type Database, openEventStore, type Projection, projection } from "./packages.ts";
import { BATCH, COLUMNS, foldBatch, type LentEvent, upsertText } from "./view.ts";

/** Streams per append, and events per stream. */
const STREAMS = 100;
const EVENTS = 10;

/** Appends events of about 200 bytes, ten per stream. */
export const fill = async (db: Database, count: number): Promise<void> => {
  await using store = await openEventStore({}, { db, log: quiet });
  for (let from = 0; from < count; from += STREAMS * EVENTS)
    await store.appendMany(
      Array.from({ length: STREAMS }, (_, stream) => ({
        stream: `loan-${from + stream}`,
        events: Array.from({ length: EVENTS }, (_event, at) => ({
          type: "Lent",
          data: data(from + stream * EVENTS + at),
        })),
      })),
    );
  await db.execute(db.dialect === "postgres" ? "VACUUM ANALYZE framework_events" : "ANALYZE");
};

const quiet = { info() {}, warn() {}, error: console.error };

const data = (number: number): object => ({
  book: `book-${number}`,
  member: `member-${number % 1009}`,
  note: 'he said "later", and did not come back for a week and a half; then he did, with the book',
  days: 1 + (number % 14),
  tags: ["fiction", "returned-late"],
});

export const members = ({ dialect }: Database, version: number): Projection =>
  projection<never, "members">({
    name: "members",
    version,
    batchSize: BATCH,
    tables: { members: COLUMNS },
    async apply(tx, events) {
      const text = upsertText(dialect, `members_v${version}`);
      await tx.execute(text, [JSON.stringify(foldBatch(events as readonly LentEvent[]))]);
    },
  });

/** Makes the first version live on an empty store, so that every later version is a rebuild. */
export const createFirstVersion = async (db: Database): Promise<void> => {
  const store = await openEventStore({ projections: [members(db, 1)] }, { db, log: quiet });
  await store.close();
};

/** Builds a version while another one is live, and waits until the new one is live. */
export const rebuild = async (db: Database, version: number): Promise<void> => {
  await using _store = await openEventStore({ projections: [members(db, version)] }, { db, log: quiet });
  for (;;) {
    const status =
      await db.fetchValue<string>`SELECT status FROM framework_projections WHERE name = 'members' AND version = ${version}`;
    if (status === "live") return;
    await delay(20);
  }
};
