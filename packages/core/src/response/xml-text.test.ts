import { expect, test } from "@jest/globals";
import fc from "fast-check";
import { toXmlText } from "./xml-text.ts";
import { anyText } from "../http/testing/any-character.ts";

const bodyOf = (data: unknown, rootName?: string) =>
  toXmlText(data, rootName).split("\n").slice(1).join("\n");

test("writes members as elements and items as item elements", () => {
  expect(
    toXmlText({
      title: "A & B",
      tags: ["x", 1, null],
      empty: [],
      at: new Date(0),
      no: undefined,
      big: 5n,
      ok: true,
    }),
  ).toBe(
    '<?xml version="1.0" encoding="UTF-8"?>\n' +
      "<root><title>A &amp; B</title><tags><item>x</item><item>1</item><item/></tags><empty/>" +
      "<at>1970-01-01T00:00:00.000Z</at><big>5</big><ok>true</ok></root>",
  );
});

test("calls toJSON with the key as JSON does, and skips members that JSON leaves out", () => {
  const keys: string[] = [];
  const value = { toJSON: (key: string) => (keys.push(key), key) };
  const absent = { toJSON: () => undefined };
  const members = { a: value, list: [value, value], b: absent, c: Symbol("c"), d: () => 1, e: null };
  const data = { toJSON: (key: string) => (keys.push(key), members) };
  expect(bodyOf(data)).toBe("<root><a>a</a><list><item>0</item><item>1</item></list><e/></root>");
  JSON.stringify(data);
  expect(keys).toEqual(["", "a", "0", "1", "", "a", "0", "1"]);
});

test("uses the name of the root element", () => {
  expect(bodyOf([1], "books")).toBe("<books><item>1</item></books>");
  expect(bodyOf("x", "")).toBe("<_>x</_>");
});

test.each([
  ["1st", "_1st"],
  ["a b", "a_b"],
  ["a:b", "a_b"],
  ["xmlns", "_xmlns"],
  ["XML", "_XML"],
  ["-a", "_-a"],
  ["<a/><b", "_a___b"],
  ["größe", "größe"],
  ["名", "名"],
  ["😀", "_"],
  ["a\r\n", "a__"],
])("corrects the name %j to %s", (name, replaced) => {
  expect(bodyOf({ [name]: 1 })).toBe(`<root><${replaced}>1</${replaced}></root>`);
});

// oxlint-disable-next-line no-control-regex -- characters that XML 1.0 does not allow
const notXml = /[\u0000-\u0008\u000B\u000C\u000E-\u001F\uFFFE\uFFFF]/g;

test("text never becomes markup, and is read back unchanged except for characters that XML does not allow", () => {
  const entities: Readonly<Record<string, string>> = {
    amp: "&",
    lt: "<",
    gt: ">",
    quot: '"',
    apos: "'",
    "#13": "\r",
  };
  fc.assert(
    fc.property(anyText, (text) => {
      const content = bodyOf(text).replaceAll(/^<root\/?>|<\/root>$/g, "");
      expect(content).not.toMatch(/[<>"']|&(?!(?:amp|lt|gt|quot|apos|#13);)/);
      const allowed = text.toWellFormed().replaceAll(notXml, "\uFFFD");
      expect(content.replaceAll(/&([^;]+);/g, (_, name: string) => entities[name] ?? "?")).toBe(allowed);
    }),
    { numRuns: 300 },
  );
});

test("a lone surrogate becomes U+FFFD", () => {
  expect(bodyOf("a\ud800b")).toBe("<root>a\uFFFDb</root>");
});

test("rejects a cycle and nesting that is too deep", () => {
  const cycle: Record<string, unknown> = {};
  cycle["self"] = [cycle];
  let deep: unknown = 1;
  for (let level = 0; level < 100_000; level++) deep = { a: deep };
  expect(() => toXmlText(cycle)).toThrow(/contains itself/);
  expect(() => toXmlText(deep)).toThrow(expect.objectContaining({ code: "CORE_BAD_REPLY" }));
});

test("rejects a promise, whose content would be lost, and ignores its rejection", async () => {
  const unhandled: unknown[] = [];
  const record = (reason: unknown): void => void unhandled.push(reason);
  process.on("unhandledRejection", record);
  try {
    for (const data of [Promise.reject(new Error("lost")), { book: Promise.resolve(1) }])
      expect(() => toXmlText(data)).toThrow("it contains a promise; await it");
    await new Promise((resolve) => setImmediate(resolve)); // Node reports unhandled rejections at the end of a turn
    expect(unhandled).toEqual([]);
  } finally {
    process.off("unhandledRejection", record);
  }
});
