import { expect, test } from "@jest/globals";
import fc from "fast-check";
import { fieldValue } from "../../http/field-values.ts";
import { CachedHead } from "./fast-cached-head.ts";
import { emptyFastHead } from "./fast-head.ts";

const read = (text: string): CachedHead => {
  const head = { ...emptyFastHead(), fieldsStart: 5, fieldsEnd: 5 + text.length };
  return new CachedHead(Buffer.from(`GET /${text}\r\n`, "latin1"), head, "");
};

test("returns fields as received, without blanks around values", () => {
  expect(read("A:1\r\nb: \t x y\t \r\nC:\r\nD:  \r\né: ü:\r\n").toList()).toEqual([
    "A",
    "1",
    "b",
    "x y",
    "C",
    "",
    "D",
    "",
    "é",
    "ü:",
  ]);
});

test("finds a value by its lower-case name in any received case, and ignores similar names", () => {
  const fields = read("X-Id: 1\r\n[d: 2\r\nX@: 3\r\n");
  expect(["x-id", "{d", "[d", "x`", "x", ""].map((name) => fields.get(name))).toEqual([
    "1",
    null,
    "2",
    null,
    null,
    null,
  ]);
});

test("returns the same values as the flat list", () => {
  const name = fc.constantFrom(
    "Cookie",
    "cookie",
    "Accept",
    "ACCEPT",
    "User-Agent",
    "user-agent",
    "X",
    "__proto__",
  );
  const value = fc.constantFrom("", "a", "b, c", "d; e", "ü");
  fc.assert(
    fc.property(fc.array(fc.tuple(name, value)), (pairs) => {
      const fields = read(pairs.map(([key, text]) => `${key}: ${text}\r\n`).join(""));
      expect(fields.toList()).toEqual(pairs.flat());
      for (const key of ["cookie", "accept", "user-agent", "x", "__proto__", "absent"]) {
        expect(fields.get(key)).toBe(fieldValue(pairs.flat(), key));
      }
    }),
  );
});
