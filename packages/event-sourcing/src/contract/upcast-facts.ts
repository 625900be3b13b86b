import assert from "node:assert/strict";
import { FrameworkError, type StandardSchema } from "@framework/core";
import type { PortFacts } from "@framework/core/testing";
import type { ConflictError } from "../append/conflict-error.ts";
import { decider } from "../deciders/decider.ts";
import { type AnyEventType, type EventType, eventType, retiredEventType } from "../events/event-type.ts";
import type { StoredEvent } from "../events/stored-event.ts";
import { dropped, split } from "../events/upcast-result.ts";
import { allEvents, errorOf, eventsOf, type EventStoreFixture, same } from "./store-fixture.ts";

/** A schema that accepts any data. */
const anything = <T>(): StandardSchema<T, T> => ({
  "~standard": { version: 1, vendor: "test", validate: (value) => ({ value: value as T }) },
});

/** Upcaster of an earlier release, which only writes in these tests. */
const unused = (data: unknown): unknown => data;

/** Events written by three releases of a program, as golden data: never edit, only add. */
const golden: readonly (readonly [release: readonly AnyEventType[], type: string, data: unknown])[] = [
  [[eventType("Person", anything<object>())], "Person", { name: "Ann Lee", mail: "ann@example.org" }],
  [[eventType("Moved", anything<object>())], "Moved", { to: "Rome" }],
  [[eventType("Noise", anything<object>())], "Noise", { loud: true }],
  [
    [eventType("Person", anything<object>(), { version: 2, upcast: { 1: unused } })],
    "Person",
    { names: ["Bob"], mail: "b@example.org" },
  ],
  [
    [eventType("Person", anything<object>(), { version: 3, upcast: { 1: unused, 2: unused } })],
    "Person",
    { names: ["Cy"] },
  ],
];

const Person: EventType<"Person", { names: readonly string[] }> = eventType(
  "Person",
  anything<{ names: readonly string[] }>(),
  {
    version: 3,
    upcast: {
      1: ({ name, ...others }: { name: string }) => ({ ...others, names: name.split(" ") }),
      2: ({ mail, ...others }: { mail: string }) =>
        split({ type: "Person", data: others }, { type: "MailGiven", data: { mail } }),
    },
  },
);
const MailGiven: EventType<"MailGiven", { mail: string }> = eventType(
  "MailGiven",
  anything<{ mail: string }>(),
);
const Relocated: EventType<"Relocated", { city: string }> = eventType(
  "Relocated",
  anything<{ city: string }>(),
);
const Moved = retiredEventType("Moved", {
  1: ({ to }: { to: string }) => split({ type: "Relocated", data: { city: to } }),
});
const Noise = retiredEventType("Noise", { 1: () => dropped });
const present: readonly AnyEventType[] = [Person, MailGiven, Relocated, Moved, Noise];

/** The golden data as the present release reads it. */
const expected = [
  ["Person", 1, { names: ["Ann", "Lee"] }],
  ["MailGiven", 1, { mail: "ann@example.org" }],
  ["Relocated", 2, { city: "Rome" }],
  ["Person", 4, { names: ["Bob"] }],
  ["MailGiven", 4, { mail: "b@example.org" }],
  ["Person", 5, { names: ["Cy"] }],
];

const summarize = (events: readonly StoredEvent[]): unknown =>
  events.map(({ type, version, data }) => [type, version, data]);

const writeGolden = async ({ open }: EventStoreFixture): Promise<void> => {
  for (const [events, type, data] of golden) await (await open({ events })).append("s-1", { type, data });
};

/** Contract tests for events of earlier releases. */
export const upcastFacts: PortFacts<EventStoreFixture> = {
  "every method of reading upcasts the events of earlier releases": async (fixture) => {
    await writeGolden(fixture);
    const store = await fixture.open({ events: present });
    same(summarize(await eventsOf(store, "s-1")), expected);
    same(summarize(await allEvents(store, 2)), expected);
    const back: StoredEvent[] = [];
    for await (const event of store.read("s-1", { backwards: true })) back.push(event);
    same(summarize(back), expected.toReversed());
    const conflict = (await errorOf(
      store.append("s-1", Person({ names: [] }), { expected: "none" }),
    )) as ConflictError;
    same(summarize(conflict.newer), expected);
    const Names = decider({
      name: "s",
      events: [Person, Relocated],
      initialState: () => "",
      decide: () => [],
      evolve: (state, event) =>
        `${state} ${event.type === "Person" ? event.data.names.join("+") : event.data.city}`,
    });
    assert.equal((await store.aggregate(Names, "1").load()).state, " Ann+Lee Rome Bob Cy");
  },

  "the parts of a split event have its version and position, but distinct ids": async (fixture) => {
    await writeGolden(fixture);
    const [one, two] = await eventsOf(await fixture.open({ events: present }), "s-1");
    assert.deepEqual([one?.version, one?.position], [two?.version, two?.position]);
    assert.equal(two?.id, `${one?.id}#1`);
  },

  "an event of a later version than the code knows is an error": async ({ open }) => {
    await (await open({ events: [Person, MailGiven] })).append("s-1", Person({ names: [] }));
    const old = await open({ events: [eventType("Person", anything<object>())] });
    assert.equal((await errorOf(eventsOf(old, "s-1"))).code, "EVENTS_NEWER_SCHEMA");
    assert.equal((await errorOf(old.readAll())).code, "EVENTS_NEWER_SCHEMA");
  },

  "the error of an upcaster names the type of the event": async ({ open }) => {
    await (await open()).append("s-1", { type: "Broken", data: {} });
    const broken = (upcaster: () => unknown) =>
      open({ events: [eventType("Broken", anything(), { version: 2, upcast: { 1: upcaster } })] });
    const faults: readonly (() => unknown)[] = [
      () => {
        throw new Error("no such member");
      },
      () => {},
      () => Promise.reject(new Error("async")),
      () => split({ type: "Unknown", data: {} }),
      () => split({ type: "Broken", version: 1, data: {} }),
      () => split(...Array.from({ length: 101 }, () => ({ type: "Broken", data: {} }))),
    ];
    for (const fault of faults) {
      const error = await errorOf(eventsOf(await broken(fault), "s-1"));
      assert.ok(FrameworkError.is(error));
      assert.equal(error.code, "EVENTS_UPCAST_FAILED", error.message);
      assert.match(error.message, /Broken/);
    }
  },

  "an event can be upcast through thousands of versions": async ({ open }) => {
    await (await open()).append("s-1", { type: "Broken", data: 1 });
    const upcasters = Array.from({ length: 2999 }, (_, at) => [at + 1, (data: number) => data + 1]);
    const upcast = Object.fromEntries(upcasters) as Record<number, (data: number) => number>;
    const store = await open({
      events: [eventType("Broken", anything<number>(), { version: 3000, upcast })],
    });
    assert.equal((await eventsOf(store, "s-1"))[0]?.data, 3000);
  },

  "only known types with valid data are appended": async ({ open }) => {
    const checkedSchema: StandardSchema<{ n: number }> = {
      "~standard": {
        version: 1,
        vendor: "test",
        validate: async (value) =>
          (value as { n: unknown }).n === 1
            ? { value: { n: 2 } }
            : { issues: [{ message: "must be 1", path: ["n"] }] },
      },
    };
    const Checked = eventType("Checked", checkedSchema);
    const store = await open({ events: [Checked, Moved] });
    await store.append("s-1", Checked({ n: 1 }));
    same((await eventsOf(store, "s-1"))[0]?.data, { n: 2 }); // the output of the schema
    const invalidEvents = [
      Checked({ n: 7 }),
      { type: "Moved", data: {} },
      { type: "Cheked", data: { n: 1 } },
    ];
    const errors = await Promise.all(invalidEvents.map((event) => errorOf(store.append("s-1", event))));
    same(
      errors.map(({ code }) => code),
      ["EVENTS_INVALID_DATA", "EVENTS_UNKNOWN_TYPE", "EVENTS_UNKNOWN_TYPE"],
    );
    assert.match(errors[0]?.message ?? "", /data\.n: must be 1/);
    assert.match(errors[2]?.message ?? "", /did you mean Checked/);
    assert.equal((await eventsOf(store, "s-1")).length, 1);
  },
};
