import { expect, test } from "@jest/globals";
import fc from "fast-check";
import { parseCookies } from "./cookies.ts";

const objectOf = (header: string | null) => ({ ...parseCookies(header).toObject() });

test("reads pairs in order, and the first of duplicate names wins", () => {
  expect([...parseCookies("a=1; b=2;a=3 ;  c=x=y")]).toEqual([
    ["a", "1"],
    ["b", "2"],
    ["c", "x=y"],
  ]);
});

test.each([
  ["", {}],
  [";;; ;", {}],
  ["lonely; =nameless; a=1", { a: "1" }],
  ['a="quoted"; b=""; c="; d="half', { a: "quoted", b: "", c: '"', d: '"half' }],
  ["a=%C3%A9%20x; b=100%; c=%zz; d=%ff", { a: "é x", b: "100%", c: "%zz", d: "%ff" }],
  ['a="%22"', { a: '"' }],
  ["a=1\u0000; b=\n2; c\u007f=3; d=ok", { d: "ok" }],
  ["a=\u00a0x\u00a0;\tb=\t2\t", { a: "\u00a0x\u00a0", b: "2" }],
])("reads %j", (header, expected) => {
  expect(objectOf(header)).toEqual(expected);
});

test("returns the fallback, else null, for an absent cookie", () => {
  const cookies = parseCookies("a=1");
  expect(cookies.get("a", "x")).toBe("1");
  expect(cookies.get("b")).toBeNull();
  expect(cookies.get("b", 7)).toBe(7);
  expect(cookies.has("a")).toBe(true);
  expect(cookies.has("toString")).toBe(false);
  expect(parseCookies(null).size).toBe(0);
});

test("treats names such as __proto__ as data", () => {
  const cookies = parseCookies("__proto__=1; constructor=2");
  expect(cookies.get("__proto__")).toBe("1");
  expect(Object.getPrototypeOf(cookies.toObject())).toBeNull();
  expect(Object.keys(cookies.toObject())).toEqual(["__proto__", "constructor"]);
});

test("keeps the first 64 cookies", () => {
  const cookies = parseCookies(Array.from({ length: 70 }, (_, at) => `c${at}=v`).join("; "));
  expect(cookies.size).toBe(64);
  expect([...cookies.keys()].at(-1)).toBe("c63");
});

test("ignores a pair longer than 4 KiB", () => {
  const fits = `a=${"x".repeat(4094)}`;
  expect([...parseCookies(`${fits}; b${fits}; c=1`).keys()]).toEqual(["a", "c"]);
});

test("agrees with a naive parser on any field", () => {
  const naive = (header: string) => {
    const found: Record<string, string> = Object.create(null);
    for (const pair of header.split(";")) {
      const [, name = "", raw = ""] = /^[ \t]*([^=]*?)[ \t]*=[ \t]*([^]*?)[ \t]*$/.exec(pair) ?? [];
      if (name === "" || name in found || pair.includes("\u0001")) continue;
      const value = /^"(.*)"$/.exec(raw)?.[1] ?? raw;
      try {
        found[name] = decodeURIComponent(value);
      } catch {
        found[name] = value;
      }
    }
    return found;
  };
  const header = fc.string({
    unit: fc.constantFrom(...'ab=;; "%é\u0001'.split(""), "%41", "__proto__", "; "),
  });
  fc.assert(
    fc.property(header, (text) => {
      expect(parseCookies(text).toObject()).toEqual(naive(text));
    }),
    { numRuns: 500 },
  );
});
