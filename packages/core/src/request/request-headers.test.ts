import { expect, test } from "@jest/globals";
import { RequestHeaders } from "./request-headers.ts";
import { fieldValue } from "../http/field-values.ts";

const headersOf = (...fields: string[]) =>
  new RequestHeaders({ fields, field: (name) => fieldValue(fields, name) });

test.each([
  [["Accept", "a/b", "ACCEPT", "c/d", "accept", "e/f"], "accept", "a/b, c/d, e/f"],
  [["Cookie", "a=1", "cookie", "b=2"], "cookie", "a=1; b=2"],
  [["Content-Type", "a/b", "content-type", "c/d"], "content-type", "a/b"],
  [["Authorization", "Basic x", "authorization", "Bearer y"], "authorization", "Basic x"],
  [["X-Forwarded-For", "1.1.1.1", "X-Forwarded-For", "2.2.2.2"], "x-forwarded-for", "1.1.1.1, 2.2.2.2"],
  [["X-Empty", ""], "x-empty", ""],
  [["X-A", "x-b"], "x-b", null],
  [[], "host", null],
])("in the lines %j, the value of %s is %j", (fields, name, expected) => {
  expect(fieldValue(fields, name)).toBe(expected);
});

test("reads a name in any case, with a fallback", () => {
  const headers = headersOf("Content-Type", "a/b", "X-Empty", "");
  expect(headers.get("CONTENT-type")).toBe("a/b");
  expect(headers.get("X-Empty", "x")).toBe("");
  expect(headers.get("Accept")).toBeNull();
  expect(headers.get("Accept", 1)).toBe(1);
  expect([headers.has("content-TYPE"), headers.has("accept")]).toEqual([true, false]);
});

test("get uses the lookup of the source", () => {
  const headers = new RequestHeaders({ fields: [], field: (name) => `value of ${name}` });
  expect(headers.get("Host")).toBe("value of host");
});

test("returns every line of a field as received", () => {
  const headers = headersOf("Host", "a", "X", "1, 2", "x", "3", "Host", "b");
  expect(headers.getAll("X")).toEqual(["1, 2", "3"]);
  expect(headers.getAll("host")).toEqual(["a", "b"]);
  expect(headers.getAll("1, 2")).toEqual([]);
});

test("iterates over each name once, with the values of get", () => {
  const fields = ["Host", "a", "X", "1", "Cookie", "c=1", "x", "2", "cookie", "d=2", "host", "b"];
  const headers = headersOf(...fields);
  const expected = [
    ["host", "a"],
    ["x", "1, 2"],
    ["cookie", "c=1; d=2"],
  ];
  expect([...headers]).toEqual(expected);
  expect([...headers.entries()]).toEqual(expected);
  expect([...headers.keys()]).toEqual(["host", "x", "cookie"]);
  expect([...headers.values()]).toEqual(expected.map(([, value]) => value));
  const called: unknown[] = [];
  headers.forEach((value, name, itself) => called.push([name, value], itself === headers));
  expect(called).toEqual(expected.flatMap((pair) => [pair, true]));
  for (const [name, value] of headers) expect(headers.get(name)).toBe(value);
});

test("treats names such as __proto__ as data", () => {
  const headers = headersOf("__proto__", "1", "Constructor", "2");
  expect(headers.get("__proto__")).toBe("1");
  expect(headers.has("toString")).toBe(false);
  const object = headers.toObject();
  expect(Object.getPrototypeOf(object)).toBeNull();
  expect(Object.entries(object)).toEqual([
    ["__proto__", "1"],
    ["constructor", "2"],
  ]);
});
