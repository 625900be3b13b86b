import { expect, test } from "@jest/globals";
import fc from "fast-check";
import { ValueError } from "../errors/http-errors.ts";
import { Query } from "./query.ts";
import { anyText } from "../http/testing/any-character.ts";

const arbitrarySearch = fc.oneof(
  anyText,
  fc.string({
    unit: fc.constantFrom(
      ..."ab=&+%?é\uFEFF\uD800".split(""),
      "%2",
      "%41",
      "%00",
      "%C3",
      "%A9",
      "%ff",
      "%zz",
      "%E2%82%AC",
    ),
  }),
);

// In the standard a raw character equals its escaped bytes, but Node truncates raw characters next to a malformed escape to one byte.
const oracleOf = (search: string) =>
  new URLSearchParams(`?${search.toWellFormed().replaceAll(/\P{ASCII}/gu, encodeURIComponent)}`);

test("equals URLSearchParams on any input", () => {
  fc.assert(
    fc.property(arbitrarySearch, (search) => {
      const query = new Query(search);
      const oracle = oracleOf(search);
      expect([...query]).toEqual([...oracle]);
      for (const name of oracle.keys()) {
        expect(query.get(name)).toBe(oracle.get(name));
        expect(query.getAll(name)).toEqual(oracle.getAll(name));
        expect(query.has(name)).toBe(true);
      }
      expect(query.size).toBe(oracle.size);
      expect([...query.keys()]).toEqual([...oracle.keys()]);
      expect([...query.values()]).toEqual([...oracle.values()]);
    }),
    { numRuns: 500 },
  );
});

test("keeps malformed escapes and decodes valid ones next to them", () => {
  expect(new Query("a=%zz%20b&c=100%&d=%C3").toObject()).toEqual(
    Object.assign(Object.create(null), { a: "%zz b", c: "100%", d: "\uFFFD" }),
  );
});

test("returns the fallback, else null, for an absent name", () => {
  const query = new Query("page=2&empty=");
  expect(query.get("page", "1")).toBe("2");
  expect(query.get("size")).toBeNull();
  expect(query.get("size", undefined)).toBeNull();
  expect(query.get("size", 10)).toBe(10);
  expect(query.get("empty", "x")).toBe("");
  expect(query.has("empty")).toBe(true);
  expect(query.getAll("size")).toEqual([]);
});

test("returns a string for a single value and a list for a repeated one", () => {
  expect({ ...new Query("a=1&b=2&a=3&a=4").toObject() }).toEqual({ a: ["1", "3", "4"], b: "2" });
});

test("treats names such as __proto__ as data", () => {
  const object = new Query("__proto__=1&constructor=2&__proto__=3").toObject();
  expect(Object.getPrototypeOf(object)).toBeNull();
  expect(Object.entries(object)).toEqual([
    ["__proto__", ["1", "3"]],
    ["constructor", "2"],
  ]);
  expect(new Query("").get("toString")).toBeNull();
  expect(({} as Record<string, unknown>)["1"]).toBeUndefined();
});

test("accepts 1,000 parameters; with one more, get, toObject and has throw", () => {
  const search = Array.from({ length: 1000 }, (_, at) => `k${at}=v`).join("&");
  expect(new Query(`&&${search}&&`).size).toBe(1000);
  const query = new Query(`${search}&more`);
  expect(() => query.get("k0")).toThrow(ValueError);
  expect(() => query.toObject()).toThrow("more than 1000 parameters");
  expect(() => query.has("absent")).toThrow(ValueError);
});

test("rejects 100,000 parameters", () => {
  expect(() => new Query("%zz&".repeat(100_000)).get("a")).toThrow(ValueError);
});

test("the constructor does not parse the query", () => {
  const query = new Query("a&".repeat(2000));
  expect(String(query)).toHaveLength(4000);
});
