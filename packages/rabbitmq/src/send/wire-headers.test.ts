import { expect, test } from "@jest/globals";
import fc from "fast-check";
import { fromWire, toWire } from "./wire-headers.ts";

const names = fc.oneof(
  fc.stringMatching(/^[a-z][a-z0-9-]{0,20}$/),
  fc.constantFrom("__proto__", "constructor", "tostring", "cloudevents_id", "cloudevents_partitionkey"),
);
const isOwn = (name: string): boolean => name.startsWith("x-") || name === "content-type";

test("headers, key and tries survive a round trip", () => {
  const headers = fc.dictionary(
    names.filter((name) => !isOwn(name)),
    fc.string(),
    { noNullPrototype: false },
  );
  fc.assert(
    fc.property(headers, fc.option(fc.string()), fc.nat(100), (sent, key, tries) => {
      const found = fromWire(toWire({ headers: sent, key }, tries) as Record<string, unknown>, "text/plain");
      expect(new Map(Object.entries(found.headers))).toEqual(
        new Map([...Object.entries(sent), ["content-type", "text/plain"]]),
      );
      expect(found.key).toBe(key ?? sent["cloudevents_partitionkey"] ?? null);
      expect(found.tries).toBe(tries);
    }),
  );
});

test("event attributes have the names of the AMQP binding of CloudEvents", () => {
  const wire = toWire({ headers: { cloudevents_id: "7", cloudevents_partitionkey: "k" }, key: "k" }, 0);
  expect(wire).toEqual({ cloudEvents_id: "7", cloudEvents_partitionkey: "k" });
  expect(fromWire({ "cloudEvents:id": "7" }, undefined).headers["cloudevents:id"]).toBe("7");
});

test("values of other types become strings; values without a string form and headers of the server are dropped", () => {
  const time = (value: number): object => ({ "!": "timestamp", value });
  const decimal = (digits: number, places: number): object => ({ "!": "decimal", value: { digits, places } });
  const wire = {
    "x-death": [{}],
    "x-first-death-queue": "q",
    "x-delivery-count": 3,
    "x-framework-tries": 2,
    flag: true,
    Count: 7,
    ratio: -0.5,
    at: time(1_700_000_000),
    late: time(1_700_000_000_000_000),
    price: decimal(1205, 2),
    cents: decimal(5, 2),
    whole: decimal(5, 0),
    bytes: Buffer.from("Ü"),
    kept: "yes",
    none: null,
    list: [1],
    table: { a: 1 },
    odd: { "!": "unknown", value: 1 },
  };
  expect({ ...fromWire(wire, undefined).headers }).toEqual({
    flag: "true",
    count: "7",
    ratio: "-0.5",
    at: "2023-11-14T22:13:20.000Z",
    late: "1700000000000000",
    price: "12.05",
    cents: "0.05",
    whole: "5",
    kept: "yes",
  });
});

test("an invalid number of tries is read as 0", () => {
  for (const tries of ["4", -1, 1.5, Number.NaN, {}, null])
    expect(fromWire({ "x-framework-tries": tries }, undefined).tries).toBe(0);
});
