import { expect, test } from "@jest/globals";
import fc from "fast-check";
import { UnsupportedMediaTypeError, ValueError } from "../errors/http-errors.ts";
import { parseContentType, requireUtf8 } from "./content-type.ts";
import { isFormType, isJsonType, isMultipartType } from "../http/media-type.ts";

test.each([
  ["application/json", "application/json", {}],
  ["Application/JSON", "application/json", {}],
  ["text/html;charset=UTF-8", "text/html", { charset: "UTF-8" }],
  ['text/html \t;\t Charset="utf-8"', "text/html", { charset: "utf-8" }],
  ["text/html; ; a=b;", "text/html", { a: "b" }],
  ['multipart/form-data; boundary="a b;c=\\"d\\\\"', "multipart/form-data", { boundary: 'a b;c="d\\' }],
  ["a/b; __proto__=x; constructor=y", "a/b", { ["__proto__"]: "x", constructor: "y" }],
])("parses %j", (value, type, parameters) => {
  const parsed = parseContentType(value);
  expect(parsed?.type).toBe(type);
  expect([...(parsed?.parameters ?? [])]).toEqual(Object.entries(parameters));
});

test.each([
  "",
  " ",
  "json",
  "/",
  "a/",
  "/b",
  "a/b/c",
  " a/b",
  "\ta/b",
  " a/b;c=d",
  "a /b",
  "a/ b",
  "a/b c",
  "a/b, c/d",
  "a/b;c",
  "a/b;c=",
  "a/b;=d",
  "a/b;c =d",
  "a/b;c= d",
  'a/b;c="d',
  'a/b;c=d"',
  'a/b;c="d"e',
  "a/b;c=d e",
  "a/b;c=d;C=d",
  'a/b;c="\u0001"',
  'a/b;c="\\\u0001"',
  "a/b;c=é",
  "a/é",
  "\u00a0a/b",
  "a/b\u00a0;c=d",
  "application/json\u0000",
])("rejects %j", (value) => {
  expect(() => parseContentType(value)).toThrow(ValueError);
});

test("returns null for an absent field, and charset and boundary separately", () => {
  expect(parseContentType(null)).toBeNull();
  expect(parseContentType("a/b")).toMatchObject({ charset: null, boundary: null });
  expect(parseContentType("a/b;CHARSET=Latin1;boundary=Ab")).toMatchObject({
    charset: "latin1",
    boundary: "Ab",
  });
});

test("quotes only the start of the value in the error", () => {
  expect(() => parseContentType("x".repeat(10_000))).toThrow(/^The Content-Type "x{39}…" is malformed$/);
});

test("distinguishes JSON, form and multipart types", () => {
  const json = ["application/json", "application/problem+json;charset=utf-8", "IMAGE/x+JSON"];
  expect(json.map((value) => isJsonType(parseContentType(value)))).toEqual([true, true, true]);
  expect(
    ["text/json", "application/jsonp", "a/json"].some((value) => isJsonType(parseContentType(value))),
  ).toBe(false);
  expect(isFormType(parseContentType("application/x-www-form-urlencoded; charset=utf-8"))).toBe(true);
  expect(isMultipartType(parseContentType("multipart/form-data; boundary=x"))).toBe(true);
  expect(isMultipartType(parseContentType("multipart/mixed; boundary=x"))).toBe(false);
  expect([isJsonType(null), isFormType(null), isMultipartType(null)]).toEqual([false, false, false]);
});

test("accepts UTF-8 and rejects another charset with 415", () => {
  for (const value of ["a/b", "a/b;charset=UTF-8", "a/b;charset=utf8", "a/b;charset=us-ascii"]) {
    expect(() => requireUtf8(parseContentType(value))).not.toThrow();
  }
  expect(() => requireUtf8(null)).not.toThrow();
  expect(() => requireUtf8(parseContentType("a/b;charset=utf-16"))).toThrow(UnsupportedMediaTypeError);
});

test("unescapes any quoted parameter", () => {
  const value = fc.string({
    unit: fc.integer({ min: 0x20, max: 0x7e }).map((unit) => String.fromCharCode(unit)),
  });
  fc.assert(
    fc.property(value, (text) => {
      const quoted = `"${text.replaceAll(/["\\]/g, "\\$&")}"`;
      expect(parseContentType(`a/b;x=1;v=${quoted} ; y=2`)?.parameters.get("v")).toBe(text);
    }),
  );
});

test("returns a type of two tokens or throws ValueError", () => {
  fc.assert(
    fc.property(fc.string({ unit: fc.constantFrom(...'a/;="\\ \té'.split("")) }), (value) => {
      expect(typeOrError(value)).toEqual(expect.stringMatching(/^(?:a+\/a+|ValueError)$/));
    }),
    { numRuns: 500 },
  );
});

const typeOrError = (value: string): unknown => {
  try {
    return parseContentType(value)?.type;
  } catch (error) {
    return (error as Error).name;
  }
};

test("returns the same result for the same text, regardless of other calls", () => {
  const values = Array.from({ length: 250 }, (_, at) => `text/x-${at}; charset=c${at}`);
  for (const value of [...values, ...values.toReversed()]) {
    const number = /\d+/.exec(value)?.[0];
    expect(parseContentType(value)).toMatchObject({ type: `text/x-${number}`, charset: `c${number}` });
    expect(() => parseContentType(`${value};`.replace("/", "//"))).toThrow(ValueError);
  }
});
