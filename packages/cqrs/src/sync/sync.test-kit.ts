// Above 250 lines, because all tests for reading one's own writes share an app with two views.
import assert from "node:assert/strict";
import { App } from "@framework/core";
import type { ConfigInput } from "@framework/core/feature";
import { portContract, type PortContract } from "@framework/core/testing";
import { caching, type Caching } from "@framework/cache";
import { database, type DatabaseMethods } from "@framework/database";
import type { TestDatabase } from "@framework/database/testing";
import { durable, type DurableMethods } from "@framework/durable";
import { type EventSourcing, eventSourcing, eventType, projection } from "@framework/event-sourcing";
import { testClient, virtualClock, waitFor } from "@framework/testing";
import { z } from "zod";
import { failureOf, newLog } from "../counters.test-kit.ts";
import { command, cqrs, type CqrsConfig, type CqrsMethods, query } from "../index.ts";

const Borrowed = eventType("Borrowed", z.object({ book: z.string(), member: z.string() }));
const book = z.object({ book: z.string() });

const Borrow = command("Borrow", {
  input: z.object({ book: z.string(), member: z.string() }),
  http: { path: "/books/{book}/loans" },
});
/** The member who has a book, read from a view. */
const Holder = query("Holder", {
  input: book,
  output: z.string().nullable(),
  projections: ["shelf"],
  cache: { invalidatedBy: [Borrowed], ttl: 3600 },
  http: { path: "/books/{book}" },
});
/** The number of loans, read from another view. */
const Loans = query("Loans", {
  input: z.object({}),
  output: z.number(),
  projections: ["loans"],
  cache: { invalidatedBy: [], ttl: 3600 },
  http: { path: "/loans" },
});

type Library = App & DatabaseMethods & DurableMethods & EventSourcing & Caching & CqrsMethods;

/** Projections that wait while `gate` is closed. */
const gatedProjections = (rebuilt: { readonly autoLive: boolean } | null) => {
  let opened = Promise.withResolvers<void>();
  opened.resolve();
  const gate = {
    close: () => {
      opened = Promise.withResolvers<void>();
    },
    open: () => opened.resolve(),
  };
  const shelf = (version: number, autoLive = true) =>
    projection({
      name: "shelf",
      version,
      autoLive,
      types: [Borrowed],
      tables: { shelf: "book TEXT PRIMARY KEY, member TEXT NOT NULL" },
      async apply(tx, events, { tables: { shelf } }) {
        await opened.promise;
        for (const { data } of events)
          await tx.execute`INSERT INTO ${shelf} (book, member) VALUES (${data.book}, ${data.member})
          ON CONFLICT (book) DO UPDATE SET member = excluded.member`;
      },
    });
  const LoanCount = projection({
    name: "loans",
    types: [Borrowed],
    tables: { loans: "id INTEGER PRIMARY KEY, count INTEGER NOT NULL" },
    async apply(tx, events, { tables: { loans } }) {
      await tx.execute`INSERT INTO ${loans} AS l (id, count) VALUES (1, ${events.length})
        ON CONFLICT (id) DO UPDATE SET count = l.count + excluded.count`;
    },
  });
  const nextVersions = rebuilt === null ? [] : [shelf(2, rebuilt.autoLive)];
  return { gate, projections: [shelf(1), ...nextVersions, LoanCount] };
};

const libraryOf = (
  { url }: TestDatabase,
  config: ConfigInput<CqrsConfig> = {},
  rebuilt: { readonly autoLive: boolean } | null = null,
): { app: Library; gate: { close(): void; open(): void } } => {
  const { gate, projections } = gatedProjections(rebuilt);
  const app = new (App.with(database, durable, eventSourcing, caching, cqrs))()
    .enableDatabase({ url, poolSize: 3 })
    .enableEventSourcing({ events: [Borrowed], projections })
    .enableCaching()
    .enableCqrs(config);
  app.cqrs
    .handle(Borrow, async ({ book: id, member }, { events }) => {
      await events.append(`book-${id}`, Borrowed({ book: id, member }));
    })
    .handle(
      Holder,
      async ({ book: id }, { db }) =>
        await db.fetchValue<string>`SELECT member FROM shelf WHERE book = ${id}`,
    )
    .handle(Loans, async (_input, { db }) => (await db.fetchValue<number>`SELECT count FROM loans`) ?? 0);
  return { app, gate };
};

const runStarted = async (
  { app, gate }: ReturnType<typeof libraryOf>,
  test: (app: Library, gate: { close(): void; open(): void }) => Promise<void>,
): Promise<void> => {
  await app.start({ log: newLog() });
  try {
    await test(app, gate);
  } finally {
    gate.open();
    await app.stop();
  }
};

export const syncFacts: PortContract<TestDatabase> = portContract<TestDatabase>("own changes", {
  "the result of a query after a token contains the events of its command": (storage) =>
    runStarted(libraryOf(storage), async (app) => {
      for (let round = 0; round < 10; round++) {
        const member = `member-${round}`;
        const { token } = await app.cqrs.execute(Borrow, { book: "1", member });
        assert.equal(await app.cqrs.query(Holder, { book: "1" }, { after: token }), member);
      }
    }),

  "after sync: wait, the results of all queries contain the events": (storage) =>
    runStarted(libraryOf(storage), async (app) => {
      for (let round = 0; round < 5; round++) {
        const member = `member-${round}`;
        const { token } = await app.cqrs.execute(Borrow, { book: "1", member }, { sync: "wait" });
        assert.notEqual(token, null);
        assert.equal(await app.cqrs.query(Holder, { book: "1" }), member);
        assert.equal(await app.cqrs.query(Loans, {}), round + 1);
      }
    }),

  "sync: wait ends at the time limit with the token, and the command has succeeded": async (storage) => {
    const clock = virtualClock();
    await runStarted(libraryOf(storage, { clock }), async (app, gate) => {
      gate.close();
      const call = app.cqrs.execute(Borrow, { book: "1", member: "ann" }, { sync: "wait" });
      await waitFor(async () => (await app.eventStore.readAll()).events.length === 1);
      await clock.advance(5000);
      const { token } = await call;
      assert.equal(token, (await app.eventStore.readAll()).events[0]?.position);
    });
  },

  "a query whose view lags gets 503 at its time limit, and waits only for its own views": async (storage) => {
    const clock = virtualClock();
    // SQLite has one writer, so a projection that waits in its transaction blocks the other one.
    await runStarted(libraryOf(storage, { clock }), async (app, gate) => {
      await app.cqrs.execute(Borrow, { book: "0", member: "ann" }, { sync: "wait" });
      const { token } = await (async () => {
        const result = await app.cqrs.execute(Borrow, { book: "1", member: "bob" }, { sync: "wait" });
        gate.close();
        return result;
      })();
      assert.equal(await app.cqrs.query(Holder, { book: "1" }, { after: token }), "bob");
      const later = await app.cqrs.execute(Borrow, { book: "1", member: "cid" });
      const stale = failureOf(app.cqrs.query(Holder, { book: "1" }, { after: later.token }));
      if (app.db.dialect === "postgres")
        assert.equal(await app.cqrs.query(Loans, {}, { after: later.token }), 3);
      await clock.advance(3000);
      const error = await stale;
      assert.deepEqual([error.status, error.code], [503, "CQRS_NOT_FRESH"]);
    });
  },

  "a malformed token is refused with 400": (storage) =>
    runStarted(libraryOf(storage), async (app) => {
      const error = await failureOf(app.cqrs.query(Holder, { book: "1" }, { after: "'; DROP" }));
      assert.deepEqual([error.status, error.code], [400, "EVENTS_BAD_POSITION"]);
    }),

  "enableEventSync: false disables tokens and waiting": (storage) =>
    runStarted(libraryOf(storage, { enableEventSync: false }), async (app, gate) => {
      gate.close();
      const { token } = await app.cqrs.execute(Borrow, { book: "1", member: "ann" }, { sync: "wait" });
      assert.equal(token, null);
      const { position } = await app.eventStore.readAll();
      assert.equal(await app.cqrs.query(Holder, { book: "1" }, { after: position }), null);
    }),

  "over HTTP, the token is a header field of the command's reply and the query's request": async (
    storage,
  ) => {
    const { app } = libraryOf(storage);
    await using client = testClient(app);
    for (let round = 0; round < 5; round++) {
      const member = `member-${round}`;
      const done = await client.post("/books/1/loans", { json: { member } });
      const headers = { "consistency-token": done.headers.get("consistency-token") ?? "" };
      assert.equal((await client.get("/books/1", { headers })).json(), member);
    }
  },

  "cached replies of a query are dropped when its views contain new events of any process": async (
    storage,
  ) => {
    const { app } = libraryOf(storage);
    await using client = testClient(app);
    const holder = async () => {
      const reply = await client.get("/books/1");
      return [reply.json(), reply.headers.get("x-cache")];
    };
    assert.deepEqual(await holder(), [null, "MISS"]);
    assert.deepEqual(await holder(), [null, "HIT"]);
    await app.cqrs.execute(Borrow, { book: "1", member: "ann" });
    await waitFor(async () => (await holder())[0] === "ann");
    await waitFor(async () => (await holder())[1] === "HIT");
    await app.eventStore.append("book-1", Borrowed({ book: "1", member: "bob" }));
    await waitFor(async () => (await holder())[0] === "bob");
  },

  "cached replies from a view that has not read all events yet are dropped when it has": async (storage) => {
    const writer = new (App.with(database, durable, eventSourcing))()
      .enableDatabase({ url: storage.url, poolSize: 3 })
      .enableEventSourcing({ events: [Borrowed] });
    await writer.start({ log: newLog() });
    await writer.eventStore.append("book-1", Borrowed({ book: "1", member: "ann" }));
    await writer.stop();
    const { app, gate } = libraryOf(storage);
    gate.close();
    await using client = testClient(app);
    const holder = async () => (await client.get("/books/1")).json();
    try {
      assert.deepEqual([await holder(), await holder()], [null, null]);
    } finally {
      gate.open();
    }
    await waitFor(async () => (await holder()) === "ann", { timeoutMs: 60_000 });
  },

  "cached replies are dropped for events after one that this process cannot read": async (storage) => {
    const { app } = libraryOf(storage);
    const log = newLog();
    await app.start({ log });
    await using client = testClient(app);
    const holder = async () => (await client.get("/books/1")).json();
    assert.deepEqual([await holder(), await holder()], [null, null]);
    await app.db.transaction(async (tx) => {
      await app.eventStore.append("book-9", Borrowed({ book: "9", member: "ann" }), { tx });
      await tx.execute`UPDATE framework_events SET schema_version = 9 WHERE stream = ${"book-9"}`; // as of a later release
    });
    await waitFor(() => log.lines.some(({ message }) => message.includes("a subscription has ended")));
    await app.eventStore.append("book-1", Borrowed({ book: "1", member: "bob" }));
    await waitFor(async () => (await holder()) === "bob", { timeoutMs: 60_000 });
    await app.stop();
  },

  "when a rebuilt projection goes live, only cached replies of queries that read it are dropped": async (
    storage,
  ) => {
    const before = libraryOf(storage);
    await runStarted(before, async (app) => {
      await app.cqrs.execute(Borrow, { book: "1", member: "ann" }, { sync: "wait" });
      await app.db.execute("UPDATE shelf_v1 SET member = 'wrong'");
    });
    const clock = virtualClock();
    const { app } = libraryOf(storage, { clock }, { autoLive: false });
    await using client = testClient(app);
    const holder = async () => {
      const reply = await client.get("/books/1");
      return [reply.json(), reply.headers.get("x-cache")];
    };
    const loansCache = async () => (await client.get("/loans")).headers.get("x-cache");
    assert.deepEqual(await holder(), ["wrong", "MISS"]);
    assert.deepEqual(await holder(), ["wrong", "HIT"]);
    assert.deepEqual([await loansCache(), await loansCache()], ["MISS", "HIT"]);
    await waitFor(() => app.eventStore.projections.goLive("shelf"));
    await waitFor(async () => {
      await clock.advance(250);
      return (await holder())[0] === "ann";
    });
    assert.equal(await loansCache(), "HIT");
  },

  "cached replies are dropped before a command returns, even if its views are not updated yet": async (
    storage,
  ) => {
    const { app, gate } = libraryOf(storage);
    await using client = testClient(app);
    await client.get("/books/1");
    await client.get("/books/1");
    gate.close();
    try {
      await app.cqrs.execute(Borrow, { book: "1", member: "ann" });
      assert.equal((await client.get("/books/1")).headers.get("x-cache"), "MISS");
    } finally {
      gate.open();
    }
  },
});
