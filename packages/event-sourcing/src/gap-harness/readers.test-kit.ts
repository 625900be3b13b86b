import type { Database } from "@framework/database";
import type { EventStore } from "../event-store.ts";

/** An event that a reader has seen. */
export interface Seen {
  readonly id: string;
  readonly stream: string;
  readonly version: number;
}

/** A reader that polls while writers write. */
export interface Reader {
  /** Reads what is there. */
  poll(): Promise<void>;
  readonly seen: readonly Seen[];
}

/** Reads as the store does. */
export const storeReader = (store: EventStore): Reader => {
  const seen: Seen[] = [];
  let after: string | undefined;
  return {
    seen,
    async poll() {
      const { events, position } = await store.readAll({ after, limit: 100 });
      seen.push(...events);
      after = position;
    },
  };
};

interface Row extends Seen {
  readonly position: number;
}

/** The negative control: "rows above my position", as most projections are written. */
export const naiveReader = (db: Database): Reader => {
  const seen: Row[] = [];
  return {
    seen,
    async poll() {
      const rows = await db.query<Row>`SELECT position, event_id AS id, stream, version FROM framework_events
        WHERE position > ${seen.at(-1)?.position ?? 0} ORDER BY position LIMIT 500`;
      seen.push(...rows);
    },
  };
};

/** What is wrong with what a reader saw, against the table. */
export const faultsOf = async (
  db: Database,
  { seen }: Reader,
): Promise<{ readonly lost: number; readonly doubled: number; readonly inverted: number }> => {
  const rows = await db.query<Seen>`SELECT event_id AS id, stream, version FROM framework_events`;
  const ids = new Set(seen.map(({ id }) => id));
  const versions = new Map<string, number>();
  let inverted = 0;
  for (const { stream, version } of seen) {
    if (version <= (versions.get(stream) ?? 0)) inverted++;
    versions.set(stream, version);
  }
  return { lost: rows.filter(({ id }) => !ids.has(id)).length, doubled: seen.length - ids.size, inverted };
};
