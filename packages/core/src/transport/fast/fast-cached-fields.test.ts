import { expect, test } from "@jest/globals";
import fc from "fast-check";
import { LimitsConfig } from "../../config/limits-config.ts";
import { fieldValue } from "../../http/field-values.ts";
import { CachedHead } from "./fast-cached-head.ts";
import { emptyFastHead } from "./fast-head.ts";
import { readFastHead } from "./fast-request-head.ts";

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

/** Returns the fields of a request, read right after its head was parsed, and after another head was parsed. */
const readTwice = (lines: readonly string[], before: string): [readonly string[], readonly string[]] => {
  const bytes = Buffer.from(`${before}GET / HTTP/1.1\r\n${lines.join("\r\n")}\r\n\r\n`, "latin1");
  const other = Buffer.from("GET / HTTP/1.1\r\nHost: other\r\nX: y\r\n\r\n");
  const [head, next] = [emptyFastHead(), emptyFastHead()];
  const limits = LimitsConfig.of({ maxHeaderFields: 200 });
  expect(readFastHead(bytes, before.length, limits, head)).toBe(bytes.length);
  const [now, later] = [new CachedHead(bytes, head, ""), new CachedHead(bytes, head, "")];
  const first = now.toList();
  readFastHead(other, 0, limits, next);
  return [first, later.toList()];
};

test("returns the same fields right after the head was parsed and later, at any offset", () => {
  const blanks = fc.constantFrom("", " ", "\t", "  \t ");
  const value = fc.constantFrom("", "a", "b, c", "d \t e", "ü");
  const line = fc
    .tuple(fc.constantFrom("A", "b-c", "X_1"), blanks, value, blanks)
    .map(([name, left, text, right]) => [`${name}:${left}${text}${right}`, [name, text]] as const);
  fc.assert(
    fc.property(fc.array(line, { maxLength: 80 }), fc.constantFrom("", "POST"), (lines, before) => {
      const expected = ["Host", "h", ...lines.flatMap(([, pair]) => pair)];
      expect(readTwice(["Host: h", ...lines.map(([text]) => text)], before)).toEqual([expected, expected]);
    }),
  );
  const many = Array.from({ length: 150 }, (_, index) => `N${index}: ${index}`);
  const [first, later] = readTwice(["Host: h", ...many], "");
  expect([first.length, first.at(-1), later]).toEqual([302, "149", first]);
});
