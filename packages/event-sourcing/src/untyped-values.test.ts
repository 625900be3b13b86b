import { openDatabase } from "@framework/database";
import { expect, test } from "@jest/globals";
import { z } from "zod";
import { decider, eventType, openEventStore, projection } from "./index.ts";

test("the message about a string in place of a number shows its quotes", async () => {
  await using store = await openEventStore({ storeType: "memory" });
  const event = { type: "Something", data: {} };
  await expect(store.append("s-1", event, { expected: "1" as never })).rejects.toThrow(
    'a version from 0, not "1"',
  );
  await expect(store.readAll({ limit: "5" as never })).rejects.toThrow('an integer from 1, not "5"');
});

test("a string in place of a list of types is refused, in readAll and subscribe", async () => {
  await using store = await openEventStore({ storeType: "memory" });
  const types = "Something" as never;
  await expect(store.readAll({ types })).rejects.toMatchObject({ code: "EVENTS_BAD_READ" });
  expect(() => store.subscribe({ types }, () => {})).toThrow("`types` must be a list of 1 to 1000 names");
});

test("types, a category or a tenant that would select no events are refused, in readAll and subscribe", async () => {
  await using store = await openEventStore({ storeType: "memory" });
  const cases: readonly [filter: object, code: string, message: string][] = [
    [{ types: [null] }, "EVENTS_BAD_READ", "`types` must be a list of 1 to 1000 names"],
    [{ category: null }, "EVENTS_BAD_NAME", "the category must be a string, not null"],
    [{ category: "" }, "EVENTS_BAD_NAME", "the category is empty"],
    [{ category: ["loan"] }, "EVENTS_BAD_NAME", "the category must be a string"],
    [{ tenant: null }, "EVENTS_BAD_NAME", "the tenant must be a string, not null"],
    [{ tenant: 5 }, "EVENTS_BAD_NAME", "the tenant must be a string, not 5"],
  ];
  for (const [filter, code, text] of cases) {
    const refused = expect.objectContaining({ code, message: expect.stringContaining(text) });
    await expect(store.readAll(filter)).rejects.toEqual(refused);
    expect(() => store.subscribe(filter, () => {})).toThrow(refused);
  }
  const longest = "c".repeat(255);
  await store.append(longest, { type: "Something", data: {} });
  expect((await store.readAll({ category: longest, tenant: "" })).events).toHaveLength(1);
});

test("null metadata of an event or an append is treated as absent", async () => {
  await using store = await openEventStore({ storeType: "memory" });
  const metadata = null as never;
  expect((await store.append("s-1", { type: "Something", data: {}, metadata })).version).toBe(1);
  expect((await store.append("s-1", { type: "Something", data: {} }, { metadata })).version).toBe(2);
});

test("metadata of an event or an append that is not a plain object is refused", async () => {
  await using store = await openEventStore({ storeType: "memory" });
  const refused = {
    code: "EVENTS_INVALID_DATA",
    message: expect.stringContaining("metadata must be a plain object"),
  };
  for (const metadata of [new Map([["actor", "ann"]]), "ann", ["ann"], 5] as never[]) {
    const event = { type: "Something", data: {} };
    await expect(store.append("s-1", { ...event, metadata })).rejects.toMatchObject(refused);
    await expect(store.append("s-1", event, { metadata })).rejects.toMatchObject(refused);
  }
});

test("an event type without a schema is refused where it is defined", () => {
  const define = eventType as unknown as (type: string, schema?: unknown) => unknown;
  for (const schema of [undefined, null, {}, "object"])
    expect(() => define("Borrowed", schema)).toThrow(
      expect.objectContaining({
        code: "EVENTS_BAD_TYPE",
        message: expect.stringContaining("Standard Schema"),
      }),
    );
});

test("events that are not objects are refused, in append and appendMany", async () => {
  await using store = await openEventStore({ storeType: "memory" });
  for (const events of [null, undefined, "Something", 5, [null], [undefined]] as never[]) {
    const refused = { code: "EVENTS_BAD_APPEND", message: expect.stringContaining("events") };
    await expect(store.append("s-1", events)).rejects.toMatchObject(refused);
    await expect(store.appendMany([{ stream: "s-1", events }])).rejects.toMatchObject(refused);
  }
});

test("null options are treated as absent", async () => {
  await using store = await openEventStore({ storeType: "memory" });
  const event = { type: "Something", data: {} };
  expect((await store.append("s-1", event, null as never)).version).toBe(1);
  expect(await store.appendMany([{ stream: "s-2", events: event }], null as never)).toHaveLength(1);
  const loan = decider({
    name: "loan",
    events: [],
    initialState: () => 0,
    decide: () => [],
    evolve: (state) => state,
  });
  expect((await store.aggregate(loan, "1").execute("nothing", null as never)).version).toBe(0);
});

test("an async `decide` is refused, and its rejection does not end the process", async () => {
  await using store = await openEventStore({ storeType: "memory" });
  const unhandled: unknown[] = [];
  const listener = (error: unknown): void => void unhandled.push(error);
  process.on("unhandledRejection", listener);
  const loan = decider({
    name: "loan",
    events: [],
    initialState: () => 0,
    decide: (() => Promise.reject(new Error("the book is on loan"))) as never,
    evolve: (state) => state,
  });
  await expect(store.aggregate(loan, "1").execute("borrow")).rejects.toMatchObject({
    code: "EVENTS_BAD_APPEND",
    message: expect.stringContaining("`decide` returned a promise"),
  });
  await new Promise(setImmediate);
  process.off("unhandledRejection", listener);
  expect(unhandled).toEqual([]);
});

test("a promise in place of a state is refused, and its rejection does not end the process", async () => {
  const Something = eventType("Something", z.object({}));
  await using store = await openEventStore({ storeType: "memory", events: [Something] });
  const unhandled: unknown[] = [];
  const listener = (error: unknown): void => void unhandled.push(error);
  process.on("unhandledRejection", listener);
  const rejected = (): never => Promise.reject(new Error("no state")) as never;
  const parts = {
    name: "loan",
    events: [Something],
    initialState: () => 0,
    decide: () => Something({}),
    evolve: (state: number) => state,
  };
  await store.append("loan-1", Something({}));
  for (const source of ["initialState", "evolve"])
    await expect(
      store.aggregate(decider({ ...parts, [source]: rejected }), "1").execute("borrow"),
    ).rejects.toMatchObject({
      code: "EVENTS_BAD_DECIDER",
      message: expect.stringContaining(`\`${source}\` of decider loan returned a promise`),
    });
  await new Promise(setImmediate);
  process.off("unhandledRejection", listener);
  expect(unhandled).toEqual([]);
  expect((await store.aggregate(decider(parts), "1").load()).version).toBe(1);
});

test("a projection without a name, or with a key that is not a function, is refused", () => {
  const define = projection as unknown as (options: object) => unknown;
  const apply = async (): Promise<void> => {};
  for (const options of [{ apply }, { name: null, apply }, { name: "shelf", key: "stream", apply }])
    expect(() => define(options)).toThrow(expect.objectContaining({ code: "EVENTS_BAD_PROJECTION" }));
});

test("personal fields of a malformed definition, or of data that is not an object, are refused", async () => {
  const schema = z.any();
  const subject = (): string => "ann";
  for (const personal of [{}, { subject: "id", fields: ["name"] }, { subject, fields: "name" }] as never[])
    expect(() => eventType("Registered", schema, { personal })).toThrow(
      expect.objectContaining({ code: "EVENTS_BAD_TYPE", message: expect.stringContaining("`personal`") }),
    );
  const Registered = eventType("Registered", schema, { personal: { subject, fields: ["name"] as never } });
  await using store = await openEventStore({ storeType: "memory", events: [Registered] });
  for (const data of [null, "ann", ["ann"]])
    await expect(store.append("s-1", Registered(data))).rejects.toMatchObject({
      code: "EVENTS_INVALID_DATA",
    });
});

test("a tenant that is null is refused by read, as by append", async () => {
  await using store = await openEventStore({ storeType: "memory" });
  const options = { tenant: null as never };
  expect(() => store.read("s-1", options)).toThrow("the tenant must be a string, not null");
  const append = store.append("s-1", { type: "Something", data: {} }, options);
  await expect(append).rejects.toThrow("the tenant must be a string, not null");
});

test("a timeout of waitFor that is a string is refused", async () => {
  await using store = await openEventStore({ storeType: "memory" });
  const waiting = store.waitFor(await store.position(), { timeoutMs: "50" as never });
  await expect(waiting).rejects.toThrow('`timeoutMs` must be from 0 to 600000, not "50"');
});

test("metadata that was damaged outside the store is an error that names the event", async () => {
  const db = openDatabase({ url: "sqlite://:memory:" });
  const store = await openEventStore({}, { db });
  await store.append("s-1", { type: "Something", id: "id-1", data: {}, metadata: { note: "n" } });
  await db.execute("UPDATE framework_events SET metadata = '{'");
  await expect(store.read("s-1").next()).rejects.toMatchObject({
    code: "EVENTS_UNREADABLE",
    message: expect.stringContaining("the metadata of event id-1 in stream s-1"),
  });
  await store.close();
  await db.close();
});

test("a decision without events, such as one that lacks its `return`, is refused", async () => {
  await using store = await openEventStore({ storeType: "memory" });
  for (const decision of [undefined, null]) {
    const loan = decider({
      name: "loan",
      events: [],
      initialState: () => 0,
      decide: () => decision as never,
      evolve: (state) => state,
    });
    await expect(store.aggregate(loan, "1").execute("borrow")).rejects.toMatchObject({
      code: "EVENTS_BAD_APPEND",
      message: expect.stringContaining(`\`decide\` returned ${decision}`),
    });
  }
});
