import assert from "node:assert/strict";
import type { PortFacts } from "@framework/core/testing";
import { ConflictError } from "../append/conflict-error.ts";
import { collect, errorOf, eventsOf, type EventStoreFixture, openTwo, plain, same } from "./store-fixture.ts";

const WRITERS = 16;
const APPENDS_PER_WRITER = 6;

/** Contract tests for appends. */
export const appendFacts: PortFacts<EventStoreFixture> = {
  "a conflict error has the events after the expected version": async ({ open }) => {
    const store = await open();
    await store.append("s-1", [plain("A"), plain("B"), plain("C")]);
    const error = (await errorOf(store.append("s-1", plain("D"), { expected: 1 }))) as ConflictError;
    same(
      error.newer.map(({ type, version }) => [type, version]),
      [
        ["B", 2],
        ["C", 3],
      ],
    );
    for (let count = 0; count < 110; count++) await store.append("s-2", plain("A"));
    const long = (await errorOf(store.append("s-2", plain("B"), { expected: "none" }))) as ConflictError;
    same([long.newer.length, long.actual], [100, 110]);
  },

  "the events of an append, from 1 to 40, get consecutive versions and the same time, and keep their data":
    async ({ open }) => {
      const store = await open();
      for (const count of [1, 2, 9, 10, 11, 25, 40]) {
        const stream = `s-${count}`;
        const events = Array.from({ length: count }, (_, at) => ({
          type: "Counted",
          id: `id-${at}`,
          data: { at, text: "\u0000 'and' \"so\" \\ on" },
          metadata: { at: String(at) },
        }));
        await store.append(stream, plain("First"));
        const append = () => store.append(stream, events, { expected: 1 });
        const { version, position, isNew } = await append();
        same([version, isNew], [count + 1, true], stream);
        same(await append(), { version, position, isNew: false }, stream);
        const [, ...read] = await eventsOf(store, stream);
        same(
          read.map(({ version: each, id, data, metadata }) => [each, id, data, metadata]),
          events.map(({ id, data, metadata }, at) => [at + 2, id, data, metadata]),
          stream,
        );
        assert.equal(read.at(-1)?.position, position);
        assert.equal(new Set(read.map(({ recordedAt }) => recordedAt.getTime())).size, 1);
      }
    },

  "16 writers on one stream produce each version exactly once": async (fixture) => {
    const stores = await openTwo(fixture);
    const versions = await Promise.all(
      Array.from({ length: WRITERS }, async (_, writer) => {
        const store = stores(writer);
        const mine: number[] = [];
        while (mine.length < APPENDS_PER_WRITER) {
          const expected =
            (await collect(store.read("hot-1", { backwards: true, limit: 1 })))[0]?.version ?? 0;
          const written = await store
            .append("hot-1", plain(`By${writer}`), { expected })
            .catch((error: unknown) => {
              if (error instanceof ConflictError) return null;
              throw error;
            });
          if (written !== null) mine.push(written.version);
        }
        return mine;
      }),
    );
    const all = versions.flat().toSorted((one, other) => one - other);
    same(
      all,
      Array.from({ length: WRITERS * APPENDS_PER_WRITER }, (_, at) => at + 1),
    );
    const read = await eventsOf(stores(0), "hot-1");
    same(
      read.map(({ version }) => version),
      all,
    );
    for (const [writer, mine] of versions.entries())
      same(
        read.filter(({ type }) => type === `By${writer}`).map(({ version }) => version),
        mine,
      );
  },

  "concurrent writers without an expected version lose no event": async (fixture) => {
    const stores = await openTwo(fixture);
    await Promise.all(
      Array.from({ length: 40 }, (_, at) => stores(at).append("hot-1", [plain("A"), plain("B")])),
    );
    const read = await eventsOf(stores(0), "hot-1");
    same(
      read.map(({ type, version }) => [type, version]),
      Array.from({ length: 80 }, (_, at) => [at % 2 === 0 ? "A" : "B", at + 1]),
    );
  },

  "strings with special characters are stored unchanged": async ({ open }) => {
    const store = await open();
    const hostile = [
      "\u0000",
      "\ud800",
      "'; DROP TABLE framework_events; --",
      "\\u0000",
      "𝔘\r\n\t",
      '"',
      "$1",
      "ﬀ",
    ];
    const data = { texts: hostile, ...Object.fromEntries(hostile.map((text) => [text, text])) };
    await store.append("s-1", { type: "Hostile", data });
    await store.append("s-1", [
      { type: "Hostile", data },
      { type: "Hostile", data, metadata: { note: "\u0000" } },
    ]);
    const read = await eventsOf(store, "s-1");
    same(
      read.map((event) => event.data),
      [data, data, data],
    );
    same(read.at(-1)?.metadata, { note: "\u0000" });
    const name = `it's "a" stream; ${"x".repeat(200)}`;
    await store.append(name, plain("A"));
    assert.equal((await eventsOf(store, name))[0]?.stream, name);
  },

  "an append in a transaction is committed or rolled back with it": async ({ open, db }) => {
    const store = await open();
    await db.execute("CREATE TABLE others (id INTEGER PRIMARY KEY)");
    const work = (fails: boolean) =>
      db.transaction(async (tx) => {
        await tx.execute`INSERT INTO others (id) VALUES (${fails ? 1 : 2})`;
        await store.append("s-1", plain("A"), { tx });
        const inside = await collect(store.read("s-1", { tx }));
        assert.equal(inside.length, 1);
        if (fails) throw new Error("undo");
      });
    await assert.rejects(work(true), /undo/);
    same(await eventsOf(store, "s-1"), []);
    await work(false);
    assert.equal((await eventsOf(store, "s-1")).length, 1);
    same(await db.query("SELECT id FROM others"), [{ id: 2 }]);
    await db.execute("DROP TABLE others");
  },

  "a conflict in a transaction leaves the transaction usable": async ({ open, db }) => {
    const store = await open();
    await store.append("s-1", plain("A"));
    await db.transaction(async (tx) => {
      const error = await errorOf(store.append("s-1", plain("B"), { tx, expected: "none" }));
      assert.ok(error instanceof ConflictError);
      const many = [
        { stream: "s-0", events: plain("C") },
        { stream: "s-1", events: plain("C"), expected: 7 },
      ];
      assert.ok((await errorOf(store.appendMany(many, { tx }))) instanceof ConflictError);
      await store.append("s-2", plain("D"), { tx });
    });
    const types = await Promise.all(["s-0", "s-1", "s-2"].map((stream) => eventsOf(store, stream)));
    same(
      types.map((events) => events.map(({ type }) => type)),
      [[], ["A"], ["D"]],
    );
  },

  "appends to several streams are atomic": async ({ open }) => {
    const store = await open();
    await store.append("b-1", plain("Old"));
    const [one, two] = await store.appendMany([
      { stream: "b-1", events: plain("B"), expected: 1 },
      { stream: "a-1", events: [plain("A"), plain("A")], expected: "none" },
    ]);
    same([one?.version, two?.version], [2, 2]);
    const refused = store.appendMany([
      { stream: "a-1", events: plain("Never") },
      { stream: "b-1", events: plain("Never"), expected: 1 },
    ]);
    assert.ok((await errorOf(refused)) instanceof ConflictError);
    assert.equal((await eventsOf(store, "a-1")).length, 2);
  },

  "appends to the same streams in different orders do not deadlock": async (fixture) => {
    const stores = await openTwo(fixture);
    await Promise.all(
      Array.from({ length: 20 }, (_, at) => {
        const streams = at % 2 === 0 ? ["x-1", "x-2", "x-3"] : ["x-3", "x-2", "x-1"];
        return stores(at).appendMany(streams.map((stream) => ({ stream, events: plain("A") })));
      }),
    );
    for (const stream of ["x-1", "x-2", "x-3"]) assert.equal((await eventsOf(stores(0), stream)).length, 20);
  },
};
