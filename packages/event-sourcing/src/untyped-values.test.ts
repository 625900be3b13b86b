import { expect, test } from "@jest/globals";
import { decider, eventType, openEventStore } from "./index.ts";

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

test("null metadata is treated as absent", async () => {
  await using store = await openEventStore({ storeType: "memory" });
  const event = { type: "Something", data: {}, metadata: null as never };
  expect((await store.append("s-1", event)).version).toBe(1);
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
