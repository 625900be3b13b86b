import { App } from "@framework/core";
import type { Feature, Metric } from "@framework/core/feature";
import { type Database, database, openDatabase, type Transaction } from "@framework/database";
import { databaseInSchema } from "@framework/database/testing";
import { durable } from "@framework/durable";
import { startPostgres, withServer } from "@framework/services";
import { waitFor } from "@framework/testing";
import { expect, test } from "@jest/globals";
import { Client } from "pg";
import { APPEND_LOCK, STORE_KEY } from "../base/store-locks.ts";
import { postgresFixture } from "../contract/open-fixture.test-kit.ts";
import { allEvents, plain } from "../contract/store-fixture.ts";
import { eventSourcing, type EventStore, openEventStore } from "../index.ts";

/** Opens a transaction that stays open until `commit` or `rollBack`. */
const openTransaction = async (
  db: Database,
  work: (tx: Transaction) => Promise<unknown>,
): Promise<{ commit(): Promise<void>; rollBack(): Promise<void> }> => {
  const { promise: end, resolve } = Promise.withResolvers<"commit" | "roll back">();
  const { promise: begun, resolve: hasBegun, reject: hasFailed } = Promise.withResolvers<void>();
  const ended = db
    .transaction(async (tx) => {
      await work(tx);
      hasBegun();
      if ((await end) === "roll back") throw new Error("rolled back");
    })
    .catch(hasFailed); // without effect once the work is done
  await begun;
  const finish = async (how: "commit" | "roll back"): Promise<void> => {
    resolve(how);
    await ended;
  };
  return { commit: () => finish("commit"), rollBack: () => finish("roll back") };
};

const transactionAge =
  "SELECT extract(epoch FROM clock_timestamp() - xact_start)::float8 FROM pg_stat_activity WHERE pid = $1";

/** Starts an app with an event store; `seconds` reads all events, then the metric of the oldest open append. */
const meteredApp = async (url: string) => {
  let metrics: readonly Metric[] = [];
  const insight: Feature<object> = {
    name: "insight",
    install: (host) => {
      host.life.onStart(() => {
        metrics = host.insight.metrics();
      });
      return {};
    },
  };
  const app = new (App.with(database, durable, eventSourcing, insight))()
    .enableDatabase({ url })
    .enableEventSourcing();
  await app.start({ log: { info() {}, warn() {}, error() {} } });
  const { db, eventStore } = app;
  const seconds = async (): Promise<number> => {
    await eventStore.readAll();
    return Number(metrics.find(({ name }) => name === "events_oldest_open_append_seconds")?.read());
  };
  return { db, eventStore, seconds, [Symbol.asyncDispose]: () => app.stop() };
};

const streams = async (store: EventStore): Promise<readonly [streams: string, state: string]> => {
  const { events, state } = await store.readAll();
  return [events.map(({ stream }) => stream).join(" "), state];
};

withServer("postgres", (server) => {
  test("readers do not pass an open append until it commits", async () => {
    await using fixture = await postgresFixture(server);
    const store = await fixture.open();
    const start = await store.position();
    const slow = await openTransaction(fixture.db, (tx) => store.append("slow-1", plain("A"), { tx }));
    const { position } = await store.append("fast-1", plain("A"));
    expect([await streams(store), await streams(store)]).toEqual([
      ["", "waiting"],
      ["", "waiting"],
    ]);
    expect(await store.position()).toBe(start);
    await slow.commit();
    expect(await store.position()).toBe(position);
    expect(await streams(store)).toEqual(["slow-1 fast-1", "end"]);
  });

  test("readers skip an append that was rolled back, and record the skip with its evidence", async () => {
    await using fixture = await postgresFixture(server);
    const store = await fixture.open();
    const slow = await openTransaction(fixture.db, (tx) =>
      store.append("slow-1", [plain("A"), plain("B")], { tx }),
    );
    await store.append("fast-1", plain("A"));
    expect(await streams(store)).toEqual(["", "waiting"]);
    await slow.rollBack();
    expect(await streams(store)).toEqual(["fast-1", "end"]);
    const skips = await fixture.db.query(
      "SELECT from_position, to_position, evidence FROM framework_event_skips",
    );
    expect(skips).toEqual([
      {
        from_position: 1,
        to_position: 2,
        evidence: expect.stringMatching(/^{"seenTo":3,"ended":\["\d+\/\d+"\]}$/),
      },
    ]);
  });

  test("readers skip an append whose connection was killed", async () => {
    await using fixture = await postgresFixture(server);
    const store = await fixture.open();
    let pid: number | null = null;
    const slow = await openTransaction(fixture.db, async (tx) => {
      pid = await tx.fetchValue<number>("SELECT pg_backend_pid()");
      await store.append("slow-1", plain("A"), { tx });
    });
    await store.append("fast-1", plain("A"));
    expect(await streams(store)).toEqual(["", "waiting"]);
    await fixture.db.query("SELECT pg_terminate_backend($1)", [pid]);
    await waitFor(async () => (await streams(store))[1] === "end");
    expect(await streams(store)).toEqual(["fast-1", "end"]);
    await slow.commit();
  });

  test("readers wait neither for transactions without appends nor for appends that began after the gap was seen", async () => {
    await using fixture = await postgresFixture(server);
    const store = await fixture.open();
    await fixture.db.execute("CREATE TABLE unrelated (note TEXT)");
    const unrelated = await openTransaction(fixture.db, (tx) =>
      tx.execute("INSERT INTO unrelated VALUES ('x')"),
    );
    const undone = await openTransaction(fixture.db, (tx) => store.append("undone-1", plain("A"), { tx }));
    await store.append("fast-1", plain("A"));
    expect(await streams(store)).toEqual(["", "waiting"]);
    const later = await openTransaction(fixture.db, (tx) => store.append("later-1", plain("A"), { tx }));
    await undone.rollBack();
    expect((await streams(store))[0]).toBe("fast-1");
    await later.commit();
    expect(await streams(store)).toEqual(["fast-1 later-1", "end"]);
    await unrelated.commit();
  });

  test("readers skip an append that was rolled back to a savepoint, while its transaction is open", async () => {
    await using fixture = await postgresFixture(server);
    const store = await fixture.open();
    const slow = await openTransaction(fixture.db, async (tx) => {
      const inner = tx.transaction(async (nested) => {
        await store.append("undone-1", plain("A"), { tx: nested });
        throw new Error("undo");
      });
      await inner.catch(() => {});
    });
    await store.append("fast-1", plain("A"));
    expect(await streams(store)).toEqual(["fast-1", "end"]);
    await slow.commit();
  });

  test("the age of the oldest transaction that readers wait for is a metric", async () => {
    await using schema = await databaseInSchema(server);
    await using app = await meteredApp(schema.url);
    const { db, eventStore, seconds } = app;
    const slow = await openTransaction(db, (tx) => eventStore.append("slow-1", plain("A"), { tx }));
    await eventStore.append("fast-1", plain("A"));
    await waitFor(async () => (await seconds()) > 0.05);
    await slow.commit();
    await waitFor(async () => (await seconds()) === 0);
    expect(await seconds()).toBe(0);
  });

  test("a transaction that appends after the gap was seen does not count in the metric", async () => {
    await using schema = await databaseInSchema(server);
    await using app = await meteredApp(schema.url);
    const { db, eventStore, seconds } = app;
    const begin = async (work: (tx: Transaction) => Promise<unknown> = async () => {}) => {
      let [pid, begun]: [number | null, Transaction | null] = [null, null];
      const { commit } = await openTransaction(db, async (tx) => {
        begun = tx;
        pid = await tx.fetchValue<number>("SELECT pg_backend_pid()");
        await work(tx);
      });
      const age = async () => Number(await db.fetchValue<number>(transactionAge, [pid]));
      return { tx: begun as unknown as Transaction, age, commit };
    };
    const late = await begin();
    await waitFor(async () => (await late.age()) > 1);
    const slow = await begin((tx) => eventStore.append("slow-1", plain("A"), { tx }));
    await eventStore.append("fast-1", plain("A"));
    expect(await seconds()).toBeGreaterThan(0);
    await eventStore.append("late-1", plain("A"), { tx: late.tx });
    expect(await seconds()).toBeLessThanOrEqual(await slow.age());
    await slow.commit();
    await late.commit();
    expect(await streams(eventStore)).toEqual(["slow-1 fast-1 late-1", "end"]);
  });

  test("the metric is 0 once readers wait for no transaction, although a later append is open", async () => {
    await using schema = await databaseInSchema(server);
    await using app = await meteredApp(schema.url);
    const { db, eventStore, seconds } = app;
    const slow = await openTransaction(db, (tx) => eventStore.append("slow-1", plain("A"), { tx }));
    await eventStore.append("fast-1", plain("A"));
    const later = await openTransaction(db, (tx) => eventStore.append("later-1", plain("A"), { tx }));
    expect(await seconds()).toBeGreaterThan(0);
    await slow.commit();
    expect(await streams(eventStore)).toEqual(["slow-1 fast-1", "end"]);
    expect(await seconds()).toBe(0);
    await later.commit();
    expect(await streams(eventStore)).toEqual(["slow-1 fast-1 later-1", "end"]);
  });

  test("a process starts at the stored mark, and does not check gaps below it again", async () => {
    await using fixture = await postgresFixture(server);
    const { db } = fixture;
    const store = await fixture.open();
    for (let count = 0; count < 11; count++)
      await store.append(
        "s-1",
        Array.from({ length: 1000 }, () => plain("A")),
      );
    expect(await allEvents(store, 1000)).toHaveLength(11_000);
    const mark = await db.fetchValue<number>("SELECT mark FROM framework_event_store");
    expect(mark).toBeGreaterThanOrEqual(10_000);
    await db.execute("DELETE FROM framework_events WHERE position = 77"); // a gap below the mark, which is not checked again
    const other = await fixture.open();
    expect(await allEvents(other, 1000)).toHaveLength(10_999);
    expect(await db.query("SELECT * FROM framework_event_skips")).toEqual([]);
  });

  test("a store that was created with another source of positions is refused", async () => {
    await using fixture = await postgresFixture(server);
    await fixture.open({ positions: "counter" });
    await expect(fixture.open({ positions: "sequence" })).rejects.toMatchObject({ code: "EVENTS_BAD_STORE" });
  });

  test("a server that hides its locks is refused, unless positions come from a counter row", async () => {
    await using fixture = await postgresFixture(server);
    const { db } = fixture;
    await db.execute("CREATE VIEW pg_locks AS SELECT * FROM pg_catalog.pg_locks WHERE false");
    const schema = (await db.fetchValue<string>("SELECT current_schema()")) ?? "";
    const url = new URL(server);
    url.searchParams.set("options", `-c search_path=${schema},pg_catalog`);
    const hidden = openDatabase({ url: url.href });
    await expect(openEventStore({}, { db: hidden })).rejects.toMatchObject({ code: "EVENTS_LOCKS_HIDDEN" });
    await db.execute("DELETE FROM framework_event_store");
    await using store = await openEventStore({ positions: "counter" }, { db: hidden });
    await store.append("s-1", plain("A"));
    expect(await streams(store)).toEqual(["s-1", "end"]);
    await store.close();
    await hidden.close();
  });
});

test("no event is lost when the server is killed while an append is in a prepared transaction", async () => {
  await using postgres = await startPostgres({ fsync: true });
  const execute = async (...statements: readonly string[]): Promise<void> => {
    const client = new Client({ connectionString: postgres.url });
    client.on("error", () => {});
    await client.connect();
    for (const statement of statements) await client.query(statement);
    await client.end();
  };
  await execute("ALTER SYSTEM SET max_prepared_transactions = 5");
  await postgres.kill();
  await postgres.start();
  await using store = await openEventStore({ connectionUrl: postgres.url });
  await store.append("s-1", plain("First"));
  const insert = `INSERT INTO framework_events SELECT nextval('framework_event_positions'), '', 'prepared-1', 1, 'id', 'prepared',
    'A', 1, '{}', NULL, 0 FROM (SELECT pg_advisory_xact_lock_shared(${APPEND_LOCK}, ${STORE_KEY})) AS locked`;

  const client = new Client({ connectionString: postgres.url });
  await client.connect();
  await client.query("BEGIN");
  await client.query(insert);
  await store.append("fast-1", plain("A"));
  expect(await streams(store)).toEqual(["s-1", "waiting"]);
  await client.query("PREPARE TRANSACTION 'two-phases'"); // the transaction keeps the lock, under a new id (-1/…)
  await client.end();
  expect(await streams(store)).toEqual(["s-1", "waiting"]);
  await postgres.kill();
  await postgres.start();
  await waitFor(() =>
    streams(store).then(
      ([, state]) => state === "waiting",
      () => false,
    ),
  );
  await execute("COMMIT PREPARED 'two-phases'");
  await store.append("last-1", plain("A"));
  await waitFor(async () => (await streams(store))[1] === "end");
  expect((await streams(store))[0]).toBe("s-1 prepared-1 fast-1 last-1");
});
