// The projection of the tests: the loan state of each stream.
import type { Database } from "@framework/database";
import type { EventStore, Projection } from "../index.ts";
import { projection, type ProjectionOptions } from "../index.ts";
import { allEvents } from "../contract/store-fixture.ts";
import { Borrowed, Extended, loanTypes, Returned } from "../loan.test-kit.ts";

type ShelfOptions = Partial<ProjectionOptions<(typeof loanTypes)[number], "shelf">>;

/** `apply` throws for events of this member. */
export const POISON = "poison";

/** A projection with a row per stream. `applied` counts its events, to detect skipped and repeated events. */
export const shelf = (options: ShelfOptions = {}): Projection =>
  projection<(typeof loanTypes)[number], "shelf">({
    name: "shelf",
    types: loanTypes,
    tables: {
      shelf: "stream TEXT PRIMARY KEY, member TEXT NOT NULL, days INTEGER NOT NULL, applied INTEGER NOT NULL",
    },
    retry: { attempts: 2, delayMs: 1 },
    // in these tests, the streams of a tenant begin with its name
    clear: (tx, { tenant, stream = `${tenant}%` }, { tables }) =>
      tx.execute`DELETE FROM ${tables.shelf} WHERE stream LIKE ${stream}`,
    async apply(tx, events, { tables }) {
      for (const event of events) {
        const { stream } = event;
        if (event.type === "Borrowed" && event.data.member === POISON) throw new Error("poison");
        const member = event.type === "Borrowed" ? event.data.member : "";
        const days = event.type === "Extended" ? event.data.days : 0;
        await tx.execute`INSERT INTO ${tables.shelf} AS s (stream, member, days, applied)
          VALUES (${stream}, ${member}, ${days}, 1) ON CONFLICT (stream) DO UPDATE SET applied = s.applied + 1,
          days = s.days + excluded.days, member = CASE WHEN ${event.type} = 'Extended' THEN s.member ELSE excluded.member END`;
      }
    },
    ...options,
  });

/** A row of the view. */
export interface ShelfRow {
  readonly stream: string;
  readonly member: string;
  readonly days: number;
  readonly applied: number;
}

/** Reads the view. */
export const shelfRows = (db: Database, table = "shelf"): Promise<ShelfRow[]> =>
  db.query<ShelfRow>(`SELECT stream, member, days, applied FROM ${table} ORDER BY stream`);

/** Computes the expected view by a fold of all events in the store. */
export const foldedRows = async (store: EventStore): Promise<ShelfRow[]> => {
  const rows = new Map<string, ShelfRow>();
  for (const { stream, type, data } of await allEvents(store, 500)) {
    const { member, days, applied } = rows.get(stream) ?? { member: "", days: 0, applied: 0 };
    const given = data as { member?: string; days?: number };
    rows.set(stream, {
      stream,
      member: type === "Extended" ? member : (given.member ?? ""),
      days: days + (given.days ?? 0),
      applied: applied + 1,
    });
  }
  return [...rows.values()].toSorted((one, other) => (one.stream < other.stream ? -1 : 1));
};

/** Appends events to streams `loan-0`, `loan-1` … in turn. Returns the position of the last one. */
export const appendLoans = async (
  store: EventStore,
  count: number,
  streams = 5,
  from = 0,
): Promise<string> => {
  let position = "";
  for (let at = from; at < from + count; at++) {
    const event = [Borrowed({ member: `m${at}` }), Extended({ days: 1 + (at % 7) }), Returned({})][at % 3];
    if (event !== undefined) ({ position } = await store.append(`loan-${at % streams}`, event));
  }
  return position;
};

/** Timeout of waits in most tests. */
export const longTimeout = { timeoutMs: 60_000 };
