// Crashes the process at each statement of each projection operation, and checks the view. Above 250 lines, because all operations and checks share the
// same store and projections.
import { virtualClock } from "@framework/testing";
import type { Database } from "@framework/database";
import {
  type Crash,
  crashAtEachStatement,
  faultingDatabase,
  type FaultingDatabase,
} from "@framework/database/testing";
import type { ParkedWork } from "@framework/durable";
import { createKernel } from "@framework/durable/feature";
import type { StoreBase } from "../../base/store-base.ts";
import { StoreCounts } from "../../base/store-counts.ts";
import { type EventStoreFixture, same } from "../../contract/store-fixture.ts";
import { EventSourcingConfig } from "../../event-sourcing-config.ts";
import { buildStore, type StoreParts } from "../../event-store.ts";
import type { StoredEvent } from "../../events/stored-event.ts";
import { EventTypes } from "../../events/event-types.ts";
import { Borrowed, Extended, loanTypes, Returned } from "../../loan.test-kit.ts";
import type { Projection } from "../definition/projection.ts";
import { InlineProjections } from "../inline/inline-projections.ts";
import { projectionSource } from "../parked/projection-source.ts";
import { cancelBuild, dropRetired, restartBuild } from "../rebuild/drop-versions.ts";
import { rebuildPart } from "../rebuild/rebuild-part.ts";
import { ShardRunner } from "../running/shard-runner.ts";
import { foldedRows, POISON, shelf, shelfRows } from "../shelf.test-kit.ts";
import { registerProjections } from "../versions/register-projections.ts";

const silent = { info: () => {}, warn: () => {}, error: () => {} };

interface SteppedStore extends StoreParts {
  readonly parked: ParkedWork;
}

/** The store of one process, without background work, so that only the operation's statements are counted. */
const storeOf = (db: Database, projections: readonly Projection[] = []): SteppedStore => {
  const kernel = createKernel(db);
  const inline = projections.filter((each) => each.inline);
  const base: StoreBase = {
    db,
    now: kernel.now,
    types: new EventTypes(loanTypes),
    settings: EventSourcingConfig.of(),
    log: silent,
    counts: new StoreCounts(),
    transaction: kernel.transaction,
    parked: kernel.parked,
    currentMetadata: () => ({}),
    get inline() {
      return inline.length === 0 ? null : new InlineProjections(base, inline);
    },
    onCommit: () => {},
  };
  kernel.parked.add(projectionSource(base, () => {}));
  return { ...buildStore(base), parked: kernel.parked };
};

/** Steps the shards of projections until they have no more work. */
const run = async ({ base, reader }: StoreParts, projections: readonly Projection[]): Promise<void> => {
  const needs = {
    base,
    reader,
    clock: virtualClock(),
    random: () => 0,
    onWork: () => () => {},
    onAdvanced: () => {},
    limited: <T>(work: () => Promise<T>) => work(),
  };
  for (const projection of projections)
    for (let shard = 0; shard < projection.shards; shard++) {
      const ref = { name: projection.name, version: projection.version, shard };
      const filter = { types: projection.types?.map(({ type }) => type) };
      const own = { base, projection, ref, check: async () => {} };
      const runner = new ShardRunner(needs, own, filter, new AbortController().signal);
      while ((await runner.step()) !== "none");
    }
};

/** An operation: the state before it, its steps, the steps of the next process, and the view afterwards. */
interface Operation {
  readonly prepare?: (store: SteppedStore) => Promise<unknown>;
  readonly act: (store: SteppedStore) => Promise<unknown>;
  readonly recover: (store: SteppedStore) => Promise<unknown>;
  readonly table?: string;
  /** Stream that is missing from the view. @default none */
  readonly without?: string;
}

const fast = { retry: { attempts: 1 } }; // the clock does not advance
const first = shelf({ ...fast, batchSize: 3 });
const second = shelf({ ...fast, batchSize: 4, version: 2 });
const inlineFirst = shelf({ inline: true });

const fill = async ({ store }: StoreParts): Promise<void> => {
  for (const stream of ["loan-1", "loan-2", "loan-3"])
    await store.append(stream, [Borrowed({ member: "ann" }), Extended({ days: 3 }), Returned({})]);
};

const live = async (store: SteppedStore): Promise<void> => {
  await fill(store);
  await registerProjections(store.base, [first]);
  await run(store, [first]);
};

const poison = async (store: SteppedStore): Promise<void> => {
  await registerProjections(store.base, [first]);
  await store.store.append("loan-bad", [Borrowed({ member: POISON }), Extended({ days: 1 })]);
  await fill(store);
};

/** The first projection, except that it accepts the member `POISON`. */
const tolerant: Projection = {
  ...first,
  async apply(tx, events, context) {
    const { shelf: table } = context.tables;
    const isBad = (event: StoredEvent): boolean => event.stream === "loan-bad" && event.type === "Borrowed";
    const given = events.map((event) => (isBad(event) ? { ...event, data: { member: "" } } : event));
    await first.apply(tx, given, context);
    if (table !== undefined && events.some(isBad))
      await tx.execute`UPDATE ${table} SET member = ${POISON} WHERE stream = 'loan-bad'`;
  },
};

const replayAll = async (store: SteppedStore): Promise<void> => {
  await store.parked.replay({ source: "projection", name: "shelf v1" }, { perSecond: 10_000 });
  await run(store, [tolerant]);
};

const rebuild = async (store: SteppedStore): Promise<void> => {
  await registerProjections(store.base, [second]);
  await run(store, [second]);
};

const part =
  (stream: string) =>
  ({ base, reader }: SteppedStore): Promise<unknown> =>
    rebuildPart({
      base,
      reader,
      clock: virtualClock(),
      versions: [first],
      part: { tenant: "", stream },
      filterOf: () => ({}),
    });

export const operations: Readonly<Record<string, Operation>> = {
  "registering a projection and reading the existing events": {
    prepare: fill,
    act: async (store) => {
      await registerProjections(store.base, [first]);
      await run(store, [first]);
    },
    recover: async (store) => {
      await registerProjections(store.base, [first]);
      await run(store, [first]);
    },
  },
  "parking an event": {
    prepare: poison,
    act: (store) => run(store, [first]),
    recover: (store) => run(store, [first]),
    without: "loan-bad",
  },
  "replaying parked events": {
    prepare: async (store) => {
      await poison(store);
      await run(store, [first]);
    },
    act: replayAll,
    recover: replayAll,
  },
  "building a version and making it live": {
    prepare: live,
    act: rebuild,
    recover: rebuild,
    table: "shelf_v2",
  },
  "cancelling and restarting a build": {
    prepare: async (store) => {
      await live(store);
      await registerProjections(store.base, [second]);
    },
    act: async ({ base }) => {
      await cancelBuild(base, "shelf");
      await restartBuild(base, second);
    },
    recover: async (store) => {
      await restartBuild(store.base, second);
      await run(store, [second]);
    },
    table: "shelf_v2",
  },
  "dropping a replaced version": {
    prepare: async (store) => {
      await live(store);
      await rebuild(store);
    },
    act: ({ base }) => dropRetired(base, [{ ...second, keepRetiredSecs: 0 }]),
    recover: ({ base }) => dropRetired(base, [{ ...second, keepRetiredSecs: 0 }]),
    table: "shelf_v2",
  },
  "rebuilding a part of a view": {
    prepare: async (store) => {
      await live(store);
      await store.base.db.execute("UPDATE shelf_v1 SET days = 1000000");
    },
    act: part("loan-1"),
    recover: async (store) => {
      for (const stream of ["loan-1", "loan-2", "loan-3"]) await part(stream)(store);
    },
  },
  "an append with an inline view": {
    prepare: ({ base }) => registerProjections(base, [inlineFirst]),
    act: async (store) => await fill(storeOf(store.base.db, [inlineFirst])),
    recover: async () => {},
  },
  "an inline view going live": {
    prepare: fill,
    act: async (store) => {
      await registerProjections(store.base, [inlineFirst]);
      await run(store, [inlineFirst]);
      await fill(storeOf(store.base.db, [inlineFirst]));
    },
    recover: async (store) => {
      await registerProjections(store.base, [inlineFirst]);
      await run(store, [inlineFirst]);
    },
  },
};

const tables = ["streams", "events", "projections", "projection_shards", "parked"];

const clear = async (db: Database): Promise<void> => {
  await db.execute("DROP VIEW IF EXISTS shelf");
  for (const version of [1, 2]) await db.execute(`DROP TABLE IF EXISTS shelf_v${version}`);
  for (const table of tables) await db.execute(`DELETE FROM framework_${table}`);
};

/** Result for a statement that the stride skips: with `isDead`, the loop continues with the next statement. */
const skippedCrash = { isDead: true } as FaultingDatabase;

/**
 * Runs an operation with a crash at each of its statements, and checks that the view then equals a fold of all events. Returns the number of crashes.
 *
 * @param stride crashes at every nth statement
 */
export const crashEverywhere = async (
  { db, open }: EventStoreFixture,
  { prepare, act, recover, table = "shelf", without = "" }: Operation,
  { when, stride = 1 }: { readonly when?: "after"; readonly stride?: number } = {},
): Promise<number> => {
  const reading = await open(); // creates the tables
  return await crashAtEachStatement(
    async (crash: Crash): Promise<FaultingDatabase> => {
      if (crash.at % stride !== 0) return skippedCrash;
      await clear(db);
      await prepare?.(storeOf(db));
      const crashing = faultingDatabase(db, crash);
      await act(storeOf(crashing)).catch(() => {});
      await crashing.close();
      await recover(storeOf(db));
      const expected = await foldedRows(reading);
      same(
        await shelfRows(db, table),
        expected.filter(({ stream }) => stream !== without),
      );
      same(await shelfRows(db), await shelfRows(db, table)); // the plain name shows the live version
      return crashing;
    },
    when === undefined ? {} : { when },
  );
};
