import { expect, test } from "@jest/globals";
import fc from "fast-check";
import { isAuthority } from "./authority.ts";
import { readTarget } from "./request-target.ts";
import { anyCharacter } from "./testing/any-character.ts";

test.each([
  ["GET", "/a/b?c", { target: "/a/b?c", authority: null }],
  ["GET", "//evil.example/x", { target: "//evil.example/x", authority: null }],
  ["GET", "http://a", { target: "/", authority: "a" }],
  ["GET", "HTTPS://a:1/x?y", { target: "/x?y", authority: "a:1" }],
  ["GET", "http://a?x", { target: "/?x", authority: "a" }],
  ["OPTIONS", "http://a", { target: "*", authority: "a" }],
  ["OPTIONS", "*", { target: "*", authority: null }],
  ["GET", "*", null],
  ["GET", "", null],
  ["GET", "a", null],
  ["GET", "http:/a", null],
  ["GET", "http://", null],
  ["GET", "http://a:x/", null],
  ["GET", "/a b", null],
  ["GET", "/ü", null],
])("reads %s %s", (method, text, expected) => {
  expect(readTarget(method, text)).toEqual(expected);
});

const percentEncode = (character: string) => `%${character.charCodeAt(0).toString(16)}`;
const escape = anyCharacter.map((character) =>
  encodeURIComponent(character).replace(/^[^%]$/, percentEncode),
);
const segment = fc.string({
  unit: fc.oneof(
    { weight: 10, arbitrary: fc.constantFrom(..."azAZ09-._~!$&'()*+,;=:@".split("")) },
    { weight: 1, arbitrary: escape },
  ),
});
/** Paths of unreserved characters, delimiters and escapes. */
const webPath = fc.array(segment).map((segments) => segments.map((text) => `/${text}`).join(""));

test("the target is a path or an asterisk, and no path is changed", () => {
  const text = fc.oneof(
    fc.string(),
    fc.string({ unit: "binary-ascii" }).map((rest) => `/${rest}`),
    fc.tuple(fc.string(), webPath).map(([authority, path]) => `http://${authority}${path}`),
  );
  fc.assert(
    fc.property(fc.constantFrom("GET", "OPTIONS"), text, (method, target) => {
      const read = readTarget(method, target);
      if (read === null) return;
      expect(read.target).toMatch(/^(?:\*|\/[\x21-\x22\x24-\x7e]*)$/);
      expect(target.endsWith(read.target) || read.target === "*" || read.authority !== null).toBe(true);
      expect(read.authority === null || isAuthority(read.authority)).toBe(true);
    }),
  );
});

test("URL reads every accepted authority as host and port only", () => {
  const piece = fc.constantFrom(
    "a",
    "A1",
    ".",
    "-",
    ":",
    "@",
    "[",
    "]",
    "::1",
    "80",
    "65535",
    "65536",
    "/",
    "%41",
    "%",
    ",",
    " ",
    "_",
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 6 }), (pieces) => {
      const text = pieces.join("");
      if (!isAuthority(text)) return;
      const { username, password, pathname, search } = new URL(`x://${text}`);
      expect([username, password, pathname, search]).toEqual(["", "", "", ""]);
    }),
    { numRuns: 1000 },
  );
});
