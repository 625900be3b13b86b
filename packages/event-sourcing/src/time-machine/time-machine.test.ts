import { App } from "@framework/core";
import { panelContract, panelProbe } from "@framework/core/testing";
import { database } from "@framework/database";
import { durable } from "@framework/durable";
import { expect, test } from "@jest/globals";
import { z } from "zod";
import {
  eventSourcing,
  type EventStore,
  eventType,
  openEventStore,
  projection,
  type StoredEvent,
} from "../index.ts";
import { Borrowed, Extended, loanTypes, Returned } from "../loan.test-kit.ts";
import { shelf } from "../projections/shelf.test-kit.ts";
import { streamTimeMachine } from "../testing.ts";

const loanEvents = [
  Borrowed({ member: "ann" }),
  Extended({ days: 7 }),
  Returned({}),
  Borrowed({ member: "bob" }),
];

const eventsOf = async (store: Pick<EventStore, "read">) => {
  const events: StoredEvent[] = [];
  for await (const event of store.read("loan-1")) events.push(event);
  return events;
};

const storedEvents = async () => {
  await using store = await openEventStore({ storeType: "memory", events: [...loanTypes] });
  await store.append("loan-1", loanEvents);
  return await eventsOf(store);
};

const row = (member: string, days: number, applied: number) => [
  { name: "shelf", rows: [{ stream: "loan-1", member, days, applied }] },
];

for (const inline of [false, true]) {
  const projections = [shelf({ inline })];

  test(`a stream and its ${inline ? "inline " : ""}view move to any version, forwards and backwards`, async () => {
    const events = await storedEvents();
    await using machine = await streamTimeMachine({ events, types: loanTypes, projections });
    expect(await machine.now()).toEqual({ version: 0, length: 4, read: 0 });
    await machine.goTo(2);
    expect(machine.events().map(({ type }) => type)).toEqual(["Borrowed", "Extended"]);
    expect(await machine.views()).toEqual(row("ann", 7, 2));
    await machine.run();
    expect(await machine.views()).toEqual(row("bob", 7, 4));
    await machine.goTo(1);
    expect(await machine.now()).toEqual({ version: 1, length: 4, read: 1 });
    expect(await machine.views()).toEqual(row("ann", 0, 1));
    await machine.replay();
    expect([machine.events(), await machine.views()]).toEqual([[], [{ name: "shelf", rows: [] }]]);
  });
}

test("after a crash the view lags; the next worker resumes, and applies no event twice", async () => {
  const events = await storedEvents();
  await using machine = await streamTimeMachine({ events, types: loanTypes, projections: [shelf()] });
  expect(await machine.run({ crashAfter: 1 })).toBe(true);
  expect(await machine.now()).toEqual({ version: 4, length: 4, read: 1 });
  expect(await machine.views()).toEqual(row("ann", 0, 1));
  expect(await machine.run()).toBe(false);
  expect(await machine.now()).toEqual({ version: 4, length: 4, read: 4 });
  expect(await machine.views()).toEqual(row("bob", 7, 4));
});

test("events of types that are no longer listed are shown", async () => {
  const events = await storedEvents();
  await using machine = await streamTimeMachine({ events, types: [Borrowed] });
  await machine.run();
  expect(machine.events().map(({ type }) => type)).toEqual(["Borrowed", "Extended", "Returned", "Borrowed"]);
});

test("concurrent runs append each event once", async () => {
  const events = await storedEvents();
  await using machine = await streamTimeMachine({ events, types: loanTypes, projections: [shelf()] });
  await Promise.all([machine.run(), machine.run(), machine.goTo(3)]);
  expect(await machine.now()).toEqual({ version: 3, length: 4, read: 3 });
});

test("a version that is not an integer from 0 is refused", async () => {
  const events = await storedEvents();
  await using machine = await streamTimeMachine({ events });
  for (const version of [-1, 1.5, Number.NaN, "1" as never]) {
    await expect(machine.goTo(version)).rejects.toThrow("must be an integer from 0");
    await expect(machine.run({ to: version })).rejects.toThrow("must be an integer from 0");
  }
  expect(await machine.now()).toMatchObject({ version: 0 });
});

test("the number of events read by views is correct above nine", async () => {
  const [event] = await storedEvents();
  if (event === undefined) throw new Error("the stream is empty");
  const events = Array.from({ length: 40 }, (_, at) => ({ ...event, id: `event-${at}` }));
  await using machine = await streamTimeMachine({ events, types: loanTypes, projections: [shelf()] });
  for (const version of [9, 10, 36, 40]) {
    await machine.goTo(version);
    expect(await machine.now()).toEqual({ version, length: 40, read: version });
  }
});

test("events keep their ids, even the longest; repeated ids are replaced", async () => {
  const ids = projection<never, "ids">({
    name: "ids",
    tables: { ids: "id TEXT PRIMARY KEY" },
    async apply(tx, events, { tables }) {
      for (const { id } of events) await tx.execute`INSERT INTO ${tables.ids} (id) VALUES (${id})`;
    },
  });
  const longest = "x".repeat(200);
  const events = (await storedEvents()).map((event, at) => ({ ...event, id: at < 2 ? longest : `id ${at}` }));
  await using machine = await streamTimeMachine({ events, types: loanTypes, projections: [ids] });
  await machine.run();
  const [view] = await machine.views();
  const shown = view?.rows.map(({ id }) => id);
  expect(shown).toHaveLength(4);
  expect(shown).toEqual(expect.arrayContaining([longest, "id 2", "id 3"]));
});

test("a view whose table is named with an SQL keyword is shown", async () => {
  const orders = projection<never, "order">({
    name: "orders",
    tables: { order: "member TEXT NOT NULL" },
    apply: (tx, _events, { tables }) => tx.execute`INSERT INTO ${tables.order} (member) VALUES ('ann')`,
  });
  const events = await storedEvents();
  await using machine = await streamTimeMachine({ events, types: loanTypes, projections: [orders] });
  await machine.goTo(1);
  expect(await machine.views()).toEqual([{ name: "order", rows: [{ member: "ann" }] }]);
});

const startApp = async () => {
  const app = new (App.with(database, durable, eventSourcing, panelProbe))()
    .enableDatabase({ url: "sqlite://:memory:" })
    .enableEventSourcing({ events: [...loanTypes], projections: [shelf()] });
  await app.start({ log: { info() {}, warn() {}, error() {} } });
  await app.eventStore.append("loan-1", loanEvents);
  const panel = app.panel("streams");
  await panel.act("open", null, { stream: "loan-1", tenant: "" });
  const cells = async () => (await panel.rows()).map((each) => each.cells);
  return { app, panel, cells, close: () => app.stop() };
};

panelContract(test, startApp);

test("concurrent openings wait for each other: they do not exceed the limit, or leave a time machine open", async () => {
  const { app, panel, cells, close } = await startApp();
  const streams = Array.from({ length: 10 }, (_, at) => `loan-${at + 2}`);
  for (const stream of streams) await app.eventStore.append(stream, loanEvents);
  const opened = await Promise.allSettled(streams.map((stream) => panel.act("open", null, { stream })));
  expect(opened.filter(({ status }) => status === "rejected")).toMatchObject([{ reason: { status: 409 } }]);
  expect(await cells()).toHaveLength(10);
  await close();
});

test("the panel opens a stream of the app, goes back, crashes a worker and resumes, without changing the app's store", async () => {
  const { app, panel, cells, close } = await startApp();
  expect(await cells()).toEqual([["loan-1", 4, 4, 4, "Borrowed"]]);
  await panel.act("go", "loan-1", { version: "1" });
  expect(await cells()).toEqual([["loan-1", 1, 4, 1, "Borrowed"]]);
  expect(await panel.act("run", "loan-1", { crashAfter: "2" })).toContain("The worker crashed");
  expect(await cells()).toEqual([["loan-1", 4, 4, 2, "Borrowed"]]);
  const [events, view] = (await panel.details?.("loan-1")) ?? [];
  expect(events?.rows.map((each) => [each.cells[1], each.cells[3]])).toEqual([
    ["Borrowed", '{"member":"bob"}'],
    ["Returned", "{}"],
    ["Extended", '{"days":7}'],
    ["Borrowed", '{"member":"ann"}'],
  ]);
  expect(view).toMatchObject({ title: "View shelf", rows: [{ cells: ["loan-1", "ann", 7, 2] }] });
  expect(await panel.act("run", "loan-1")).toBe("All events were appended");
  expect(await cells()).toEqual([["loan-1", 4, 4, 4, "Borrowed"]]);
  await panel.act("replay", "loan-1");
  expect(await cells()).toEqual([["loan-1", 0, 4, 0, null]]);
  await expect(panel.act("go", "loan-1", { version: "-1" })).rejects.toThrow("must be an integer from 0");
  await expect(panel.act("run", "loan-1", { crashAfter: "x" })).rejects.toThrow("must be an integer from 1");
  await expect(panel.act("open", null, { stream: "loan-2" })).rejects.toThrow("no stream");
  await panel.act("close", "loan-1");
  expect(await cells()).toEqual([]);
  expect(await eventsOf(app.eventStore)).toHaveLength(4);
  await close();
});

test("the panel hides personal fields, and replays placeholders for forgotten persons", async () => {
  const Registered = eventType("Registered", z.object({ customer: z.string(), name: z.string() }), {
    personal: { subject: ({ customer }) => customer, fields: ["name"], placeholders: { name: null } },
  });
  const app = new (App.with(database, durable, eventSourcing, panelProbe))()
    .enableDatabase({ url: "sqlite://:memory:" })
    .enableEventSourcing({ events: [Registered] });
  await app.start({ log: { info() {}, warn() {}, error() {} } });
  await app.eventStore.append("customer-7", Registered({ customer: "7", name: "canary" }));
  const panel = app.panel("streams");
  const shown = async () => JSON.stringify((await panel.details?.("customer-7"))?.[0]?.rows);
  await panel.act("open", null, { stream: "customer-7" });
  expect(await shown()).toContain("(hidden)");
  expect(await shown()).not.toContain("canary");
  await app.eventStore.forget("7");
  await panel.act("open", null, { stream: "customer-7" }); // null does not fit the schema
  expect(await panel.act("run", "customer-7")).toBe("All events were appended");
  await app.stop();
});

test("at most ten streams are open", async () => {
  const { app, panel, cells, close } = await startApp();
  for (let at = 2; at <= 11; at++) await app.eventStore.append(`loan-${at}`, Borrowed({ member: "ann" }));
  for (let at = 2; at <= 10; at++) await panel.act("open", null, { stream: `loan-${at}` });
  await expect(panel.act("open", null, { stream: "loan-11" })).rejects.toThrow("10 streams are open already");
  await panel.act("open", null, { stream: "loan-1" }); // reopened
  expect(await cells()).toHaveLength(10);
  await close();
});
