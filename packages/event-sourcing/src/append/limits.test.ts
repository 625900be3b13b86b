import { FrameworkError } from "@framework/core";
import { expect, test } from "@jest/globals";
import { z } from "zod";
import { collect } from "../contract/store-fixture.ts";
import { eventType, type NewEvent, openEventStore, type StreamAppend } from "../index.ts";

const event = (more: Partial<NewEvent> = {}): NewEvent => ({ type: "A", data: {}, ...more });
const many = (count: number, data: unknown = {}): NewEvent[] =>
  Array.from({ length: count }, () => event({ data }));
const text = (bytes: number): string => "x".repeat(bytes);

const invalid: readonly (readonly [name: string, append: StreamAppend, code: string, message: RegExp])[] = [
  ["no event", { stream: "s-1", events: [] }, "EVENTS_BAD_APPEND", /at least one event/],
  [
    "a repeated id",
    { stream: "s-1", events: [event({ id: "i" }), event({ id: "i" })] },
    "EVENTS_BAD_APPEND",
    /same id/,
  ],
  ["a negative version", { stream: "s-1", events: event(), expected: -1 }, "EVENTS_BAD_APPEND", /`expected`/],
  ["1001 events", { stream: "s-1", events: many(1001) }, "EVENTS_TOO_LARGE", /at most 1000 events, not 1001/],
  [
    "an event above 1 MiB",
    { stream: "s-1", events: event({ data: text(1_048_575) }) },
    "EVENTS_TOO_LARGE",
    /1048577 bytes/,
  ],
  [
    "17 MB",
    { stream: "s-1", events: many(17, text(1_000_000)) },
    "EVENTS_TOO_LARGE",
    /at most 16777216 bytes/,
  ],
  [
    "metadata above 16 KiB",
    { stream: "s-1", events: event({ metadata: { note: text(16_384) } }) },
    "EVENTS_TOO_LARGE",
    /metadata/,
  ],
  ["an empty stream name", { stream: "", events: event() }, "EVENTS_BAD_NAME", /stream is empty/],
  [
    "a stream name of 256 characters",
    { stream: text(256), events: event() },
    "EVENTS_BAD_NAME",
    /longer than 255/,
  ],
  [
    "a stream name with a line end",
    { stream: "a\nb", events: event() },
    "EVENTS_BAD_NAME",
    /control character/,
  ],
  ["a lone surrogate", { stream: "a\ud800", events: event() }, "EVENTS_BAD_NAME", /surrogate/],
  [
    "a tenant of 201 characters",
    { stream: "s-1", events: event(), tenant: text(201) },
    "EVENTS_BAD_NAME",
    /tenant/,
  ],
  ["an id with NUL", { stream: "s-1", events: event({ id: "\0" }) }, "EVENTS_BAD_NAME", /id of an event/],
  ["an empty type", { stream: "s-1", events: event({ type: "" }) }, "EVENTS_BAD_NAME", /type of an event/],
  [
    "a Date",
    { stream: "s-1", events: event({ data: { at: [new Date(0)] } }) },
    "EVENTS_INVALID_DATA",
    /data\.at\[0\] is a Date/,
  ],
  [
    "a Map",
    { stream: "s-1", events: event({ data: { tags: new Map() } }) },
    "EVENTS_INVALID_DATA",
    /data\.tags is a Map/,
  ],
  [
    "a Set",
    { stream: "s-1", events: event({ data: { tags: [new Set(["a"])] } }) },
    "EVENTS_INVALID_DATA",
    /data\.tags\[0\] is a Set/,
  ],
  [
    "undefined in an array",
    { stream: "s-1", events: event({ data: { ids: [1, undefined] } }) },
    "EVENTS_INVALID_DATA",
    /data\.ids\[1\] is undefined/,
  ],
  [
    "a function",
    { stream: "s-1", events: event({ data: { run: () => {} } }) },
    "EVENTS_INVALID_DATA",
    /data\.run is a function/,
  ],
  ["a bigint", { stream: "s-1", events: event({ data: 1n }) }, "EVENTS_INVALID_DATA", /data is a bigint/],
  ["NaN", { stream: "s-1", events: event({ data: { n: NaN } }) }, "EVENTS_INVALID_DATA", /data\.n is NaN/],
  ["no data", { stream: "s-1", events: event({ data: undefined }) }, "EVENTS_INVALID_DATA", /undefined/],
  [
    "reserved metadata",
    { stream: "s-1", events: event({ metadata: { $personal: 1 } }) },
    "EVENTS_INVALID_DATA",
    /reserved/,
  ],
];

test.each(invalid)(
  "an append with %s is refused and stores nothing",
  async (_name, append, code, message) => {
    await using store = await openEventStore({ storeType: "memory" });
    const { stream, events, ...options } = append;
    const error: unknown = await store.append(stream, events, options).catch((caught: unknown) => caught);
    if (!FrameworkError.is(error)) throw new Error("expected a refusal", { cause: error });
    expect(error.code).toBe(code);
    expect(error.message).toMatch(message);
    expect((await store.readAll()).events).toEqual([]);
  },
);

test("an append of exactly the limits is stored", async () => {
  await using store = await openEventStore({ storeType: "memory" });
  await store.append("s-1", many(1000));
  await store.append(text(255), event({ data: text(1_048_574), id: text(200) }), { tenant: text(200) });
  expect(await collect(store.read("s-1"))).toHaveLength(1000);
  expect(await collect(store.read(text(255), { tenant: text(200) }))).toHaveLength(1);
});

test("appendMany limits its total size and refuses a repeated stream", async () => {
  await using store = await openEventStore({ storeType: "memory" });
  const streams = (count: number, events: NewEvent[]): StreamAppend[] =>
    Array.from({ length: count }, (_, at) => ({ stream: `s-${at}`, events }));
  for (const [appends, message] of [
    [[], "at least one stream"],
    [streams(101, many(1)), "at most 100 streams, not 101"],
    [streams(11, many(100)), "at most 1000 events, not 1100"],
    [[...streams(2, many(1)), ...streams(1, many(1))], "a stream twice"],
  ] as const)
    await expect(store.appendMany(appends)).rejects.toThrow(message);
  expect((await store.readAll()).events).toEqual([]);
});

test("events that a program adds to its list while an asynchronous schema checks the first ones are not appended", async () => {
  const Checked = eventType(
    "Checked",
    z.object({}).refine(async () => true),
  );
  await using store = await openEventStore({ storeType: "memory", events: [Checked] });
  const list: NewEvent[] = [Checked({}), Checked({})];
  const appending = store.append("s-1", list);
  list.push(...many(1000));
  expect(await appending).toMatchObject({ version: 2 });
});
