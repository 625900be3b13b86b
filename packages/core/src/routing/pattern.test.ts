import { expect, test } from "@jest/globals";
import { paramsOf, parsePattern, type Pattern } from "./pattern.ts";

const parse = (path: string): Pattern => {
  const { pattern, problem } = parsePattern(path);
  if (pattern === null) throw new Error(problem.message);
  return pattern;
};

test("parses static segments, parameters and a wildcard", () => {
  expect(parse("/orgs/{org}/files/{*rest}")).toEqual({
    path: "/orgs/{org}/files/{*rest}",
    segments: [
      { kind: "static", text: "orgs" },
      { kind: "param", name: "org" },
      { kind: "static", text: "files" },
      { kind: "wildcard", name: "rest" },
    ],
    names: ["org", "rest"],
    frontSegments: 1,
    paramStart: 6,
  });
});

test.each([
  ["/", [""]],
  ["/books/", ["books", ""]],
  ["//x", ["", "x"]],
  ["/a b/größe", ["a b", "größe"]],
  ["/100%", ["100%25"]],
  ["/v1/items:batch", ["v1", "items:batch"]],
  ["/a*b/.well-known", ["a*b", ".well-known"]],
])("parses %s as literal text", (path, texts) => {
  expect(parse(path).segments).toEqual(texts.map((text) => ({ kind: "static", text })));
});

test.each([
  ["", "must start with /"],
  ["books", "must start with /"],
  ["{id}", "must start with /"],
  ["/books/:id", 'has the segment ":id": write {id}'],
  ["/books/:id(\\d+)", "write {id}"],
  ["/files/*", 'has the segment "*": write {*rest}'],
  ["/files/*path", "write {*rest}"],
  ["/books/{}", "parameter without a name: write {name}"],
  ["/books/{*}", "parameter without a name: write {*name}"],
  ["/books/a{id}", 'has "a{id}": a parameter must be a whole segment'],
  ["/books/{id}.json", "whole segment"],
  ["/books/{a}{b}", "whole segment"],
  ["/books/{id", "whole segment"],
  ["/books/id}", "whole segment"],
  ["/books/{{id}}", "whole segment"],
  ["/books/{id:int}", "letters, digits and _ only"],
  ["/books/{1st}", "letters, digits and _ only"],
  ["/books/{book-id}", "letters, digits and _ only"],
  ["/books/{ id }", "letters, digits and _ only"],
  ["/{id}/x/{id}", '"id" more than once'],
  ["/{id}/{*id}", '"id" more than once'],
  ["/{*rest}/x", "{*rest} before its end"],
  ["/{*rest}/", "{*rest} before its end"],
  ["/a/../b", 'the segment ".."'],
  ["/.", 'the segment "."'],
  ["/books?genre={g}", "must not contain ? or #"],
  ["/books#top", "must not contain ? or #"],
  ["/a%20b", "write the character itself instead of %20"],
  ["/a\n", "no request may have"],
  ["/\ud800", "no request may have"],
  ["/a".repeat(65), "more than 64 segments"],
])("rejects %j and suggests a correction", (path, text) => {
  const { pattern, problem } = parsePattern(path);
  expect(pattern).toBeNull();
  expect(problem).toEqual({ code: "CORE_ROUTE_BAD_PATTERN", message: expect.stringContaining(text) });
  expect(problem?.message).toContain(JSON.stringify(path));
});

test("reports every mistake of a path in one problem", () => {
  expect(parsePattern("books/:id/{*rest}/{x y}").problem?.message).toBe(
    'the route path "books/:id/{*rest}/{x y}" must start with /; it has the segment ":id": write {id}; ' +
      "it has the parameter {x y}: a name is letters, digits and _ only; check values with a params schema",
  );
});

test.each([
  ["/books/{id}", "/books/7", { id: "7" }],
  ["/books/{id}/", "/books/7/", { id: "7" }],
  ["/{a}/x/{b}", "/1/x/2", { a: "1", b: "2" }],
  ["/100%/{id}", "/100%25/7", { id: "7" }],
  ["/{id}", "/a%2Fb", { id: "a/b" }],
  ["/{id}", "/%2525 ö", { id: "%25 ö" }],
  ["/files/{*rest}", "/files/a//b%2Fc/", { rest: "a//b/c/" }],
  ["/books", "/books", {}],
])("reads the parameters of %s from %s", (pattern, path, params) => {
  expect({ ...paramsOf(parse(pattern), path, path.includes("%")) }).toEqual(params);
});

test("returns parameters of any name, without inherited ones", () => {
  const params = paramsOf(parse("/{__proto__}/{constructor}"), "/polluted/2", false);
  expect(Object.entries(params)).toEqual([
    ["__proto__", "polluted"],
    ["constructor", "2"],
  ]);
  const { id, ...others } = paramsOf(parse("/{id}"), "/7", false);
  expect([id, others]).toEqual(["7", {}]);
  for (const name of [...Object.getOwnPropertyNames(Object.prototype), "polluted"]) {
    expect(name in paramsOf(parse("/{id}"), "/7", false)).toBe(false);
  }
  expect(Object.isFrozen(Object.getPrototypeOf(params))).toBe(true);
});
