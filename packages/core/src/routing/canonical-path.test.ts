import { describe, expect, test } from "@jest/globals";
import fc from "fast-check";
import { HttpError } from "../errors/http-error.ts";
import { ValueError } from "../errors/http-errors.ts";
import { type CanonicalTarget, canonicalise, encodePath, isUnder, pathSegments } from "./canonical-path.ts";
import { Router } from "./router.ts";
import { anyCharacter, anyText } from "../http/testing/any-character.ts";

const resultOf = (target: string): unknown => {
  try {
    return canonicalise(target);
  } catch (error) {
    return error;
  }
};

test.each([
  ["/", "/", ""],
  ["/books", "/books", ""],
  ["/books/", "/books/", ""],
  ["//books///1", "//books///1", ""],
  ["/Books", "/Books", ""],
  ["/books?x=1", "/books", "x=1"],
  ["/books?", "/books", ""],
  ["/?a?b=%zz&c=/../", "/", "a?b=%zz&c=/../"],
  ["/%61dmin", "/admin", ""],
  ["/a%20b", "/a b", ""],
  ["/gr%C3%B6%c3%9fe", "/größe", ""],
  ["/%F0%9F%93%9A", "/📚", ""],
  ["/a%2Fb", "/a%2Fb", ""],
  ["/a%2fb", "/a%2Fb", ""],
  ["/100%25", "/100%25", ""],
  ["/%252e%252e/x", "/%252e%252e/x", ""],
  ["/what%3F%23", "/what%3F%23", ""],
  ["/a%5Cb\\c", "/a\\b\\c", ""],
  ["/.well-known/.../..x/x..", "/.well-known/.../..x/x..", ""],
  ["/a;b=1/*/'\"<>|^`{}[]@:,!$&()+=~", "/a;b=1/*/'\"<>|^`{}[]@:,!$&()+=~", ""],
])("parses %s into path %s and query %s", (target, path, search) => {
  expect(canonicalise(target)).toEqual({ path, search });
});

test.each([
  ["", "must start with /"],
  ["*", "must start with /"],
  ["books", "must start with /"],
  ["http://host/books", "must start with /"],
  ["/%", "two hexadecimal digits"],
  ["/a%2", "two hexadecimal digits"],
  ["/%zz", "two hexadecimal digits"],
  ["/%u0041", "two hexadecimal digits"],
  ["/%FF", "UTF-8"],
  ["/%C3", "UTF-8"],
  ["/%C0%AF", "UTF-8"],
  ["/%E0%80%AF", "UTF-8"],
  ["/%ED%A0%80", "UTF-8"],
  ["/%F4%90%80%80", "UTF-8"],
  ["/%C3/%B6", "UTF-8"],
  ["/%00", "control character"],
  ["/a%0D%0Ab", "control character"],
  ["/%1f", "control character"],
  ["/%7F", "control character"],
  ["/%C2%9B", "control character"],
  ["/a\u0000", "percent-encoded"],
  ["/a\nb", "percent-encoded"],
  ["/a\u007f", "percent-encoded"],
  ["/a b", "percent-encoded"],
  ["/größe", "percent-encoded"],
  ["/a?b=ö", "percent-encoded"],
  ["/a?b\tc", "percent-encoded"],
  ["/a?b c", "percent-encoded"],
  ["/a?b\u007f", "percent-encoded"],
  ["/.", ". or .. segment"],
  ["/..", ". or .. segment"],
  ["/./a", ". or .. segment"],
  ["/a/../b", ". or .. segment"],
  ["/a/..?x", ". or .. segment"],
  ["/a/.?x", ". or .. segment"],
  ["/%2e", ". or .. segment"],
  ["/a/%2E%2e/b", ". or .. segment"],
  ["/a/.%2e", ". or .. segment"],
  ["/a/%2e./b", ". or .. segment"],
  ["/a#b", "fragment"],
  ["/a?b#c", "fragment"],
  ["/a/..#c", ". or .. segment"],
])("rejects %j with 400: %s", (target, detail) => {
  const error = resultOf(target);
  expect(error).toBeInstanceOf(ValueError);
  expect(error).toMatchObject({ status: 400, detail: expect.stringContaining(detail) });
});

test("accepts 64 segments and 8 KiB, and rejects one more of either", () => {
  expect(canonicalise("/a".repeat(64)).path).toHaveLength(128);
  expect(resultOf("/a".repeat(65))).toMatchObject({
    status: 400,
    detail: expect.stringContaining("64 segments"),
  });
  expect(canonicalise(`/${"a".repeat(8191)}?${"b".repeat(20_000)}`).search).toHaveLength(20_000);
  expect(resultOf(`/${"a".repeat(8192)}`)).toMatchObject({
    status: 414,
    detail: expect.stringContaining("8192"),
  });
});

test("rejects a path of 64 KiB without reading all of it", () => {
  expect(resultOf(`/${"a".repeat(65_536)}\u0000`)).toMatchObject({ detail: expect.stringContaining("8192") });
});

test("parses an escaped path in linear time", () => {
  const fastest = (target: string) =>
    Math.min(
      ...Array.from({ length: 40 }, () => {
        const start = performance.now();
        canonicalise(target);
        return performance.now() - start;
      }),
    );
  const pathOf = (length: number) => `/${"%C3%B6".repeat(length / 6)}`;
  fastest(pathOf(8190));
  expect(fastest(pathOf(8190)) / fastest(pathOf(1020))).toBeLessThan(24);
});

describe("on random targets", () => {
  const piece = fc.oneof(
    fc.constantFrom(
      "/",
      "//",
      ".",
      "..",
      "a",
      "%2F",
      "%2e",
      "%25",
      "%3f",
      "%23",
      "%C3%B6",
      "%FF",
      "%",
      "?",
      "#",
      "é",
    ),
    fc.string({ maxLength: 3, unit: anyCharacter }),
  );
  const target = fc.array(piece, { maxLength: 12 }).map((pieces) => `/${pieces.join("")}`);
  const accepted = target.filter((text) => !(resultOf(text) instanceof HttpError));

  test("throws only errors of status 400", () => {
    fc.assert(
      fc.property(fc.oneof(target, anyText), (text) => {
        const result = resultOf(text);
        const actual = result instanceof HttpError ? result.status : typeof (result as CanonicalTarget).path;
        expect(text.startsWith("/") ? [400, "string"] : [400]).toContain(actual);
      }),
      { numRuns: 500 },
    );
  });

  test("parsing the encoded result gives the same path", () => {
    fc.assert(
      fc.property(accepted, (text) => {
        const { path } = canonicalise(text);
        expect(canonicalise(encodePath(path))).toEqual({ path, search: "" });
      }),
    );
  });

  test("decodes each segment once, like a byte-wise decoder", () => {
    fc.assert(
      fc.property(accepted, (text) => {
        const raw = text.split("?")[0] ?? "";
        expect(pathSegments(canonicalise(text).path)).toEqual(raw.slice(1).split("/").map(decodedByBytes));
      }),
    );
  });

  test("two targets have the same path exactly when their decoded segments are equal", () => {
    fc.assert(
      fc.property(accepted, accepted, (one, other) => {
        const [a, b] = [canonicalise(one).path, canonicalise(other).path];
        expect(a === b).toBe(JSON.stringify(pathSegments(a)) === JSON.stringify(pathSegments(b)));
      }),
    );
  });

  test("prefixes and the router match the same spellings", () => {
    const router = new Router<string>();
    for (const path of ["/admin", "/admin/", "/admin/{*rest}"])
      router.add("GET", path, path, { toString: () => "" });
    const spelling = fc.constantFrom(
      "/admin",
      "/%61dmin",
      "/admin%2F",
      "/Admin",
      "/administrator",
      "/",
      "//",
      "/x",
      "/%2e",
      "/..",
      "?",
    );
    fc.assert(
      fc.property(fc.array(spelling, { minLength: 1, maxLength: 4 }), (parts) => {
        const result = resultOf(parts.join(""));
        if (result instanceof HttpError) return;
        const canonical = result as CanonicalTarget;
        expect(isUnder(canonical.path, "/admin")).toBe(router.find("GET", canonical) !== null);
      }),
      { numRuns: 500 },
    );
  });
});

const decodedByBytes = (raw: string): string => {
  const bytes = [...raw.matchAll(/%([0-9A-Fa-f]{2})|[^]/g)].map(([text, hex]) =>
    hex === undefined ? text.charCodeAt(0) : Number.parseInt(hex, 16),
  );
  return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(Uint8Array.from(bytes));
};

test.each([
  ["/health", "/health", true],
  ["/health/live", "/health", true],
  ["/health/", "/health", true],
  ["/healthz", "/health", false],
  ["/heal", "/health", false],
  ["/Health", "/health", false],
  ["/health%2Flive", "/health", false],
  ["//health", "/health", false],
  ["/", "/", true],
  ["/books", "/", false],
  ["//books", "/", false],
  ["/static/x", "/static/", false],
  ["/books", "", false],
])("whether %s is under %j: %s", (path, prefix, expected) => {
  expect(isUnder(path, prefix)).toBe(expected);
});
