import type { Database } from "@framework/database";
import type { EventStore } from "../event-store.ts";

/** An event that a reader has seen. */
export interface SeenEvent {
  readonly id: string;
  readonly stream: string;
  readonly version: number;
}

/** A reader that polls while writers write. */
export interface Reader {
  /** Reads the next events. */
  poll(): Promise<void>;
  readonly seen: readonly SeenEvent[];
}

/** Reads with `readAll`. */
export const storeReader = (store: EventStore): Reader => {
  const seen: SeenEvent[] = [];
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

interface Row extends SeenEvent {
  readonly position: number;
}

/** The negative control: selects rows above the last position, like most projections. */
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

/** Compares the events that a reader has seen with the table. */
export const faultsOf = async (
  db: Database,
  { seen }: Reader,
): Promise<{ readonly lost: number; readonly duplicated: number; readonly reordered: number }> => {
  const rows = await db.query<SeenEvent>`SELECT event_id AS id, stream, version FROM framework_events`;
  const ids = new Set(seen.map(({ id }) => id));
  const versions = new Map<string, number>();
  let reordered = 0;
  for (const { stream, version } of seen) {
    if (version <= (versions.get(stream) ?? 0)) reordered++;
    versions.set(stream, version);
  }
  return {
    lost: rows.filter(({ id }) => !ids.has(id)).length,
    duplicated: seen.length - ids.size,
    reordered,
  };
};
