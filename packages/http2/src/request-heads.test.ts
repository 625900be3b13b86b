import { LimitsConfig } from "@framework/core";
import { seededRandom } from "@framework/testing";
import { expect, test } from "@jest/globals";
import { RequestHeads } from "./request-heads.ts";

const limits = LimitsConfig.of({ maxRequestLine: 100 });

const get = (path: string, ...fields: string[]): string[] => [
  ":method",
  "GET",
  ":scheme",
  "http",
  ":authority",
  "a",
  ":path",
  path,
  ...fields,
];

test("requests with equal heads share one object; with another path they share the fields", () => {
  const heads = new RequestHeads(limits);
  const first = heads.read(get("/a", "accept", "*/*"), true);
  expect(heads.read(get("/a", "accept", "*/*"), true)).toBe(first);
  const second = heads.read(get("/b?c=1", "accept", "*/*"), true);
  expect(second).toEqual({ ...first, target: "/b?c=1", size: first.size + 4 });
  expect(second.fields).toBe(first.fields);
});

test("cookie pairs in separate fields count as one field (RFC 9113 8.2.3)", () => {
  const { maxHeaderFields } = limits;
  const cookies = Array.from({ length: maxHeaderFields + 80 }, (_, at) => `c${at}=${at}`);
  const lines = cookies.flatMap((cookie) => ["cookie", cookie]);
  for (const head of [
    get("/", "accept", "*/*", ...lines, "x-last", "1"),
    [":method", "GET", ":path", "/", "host", "a", "accept", "*/*", ...lines, "x-last", "1"],
  ]) {
    const { refusal, fields } = new RequestHeads(limits).read(head, true);
    expect(refusal).toBe(null);
    expect(fields).toEqual(["host", "a", "accept", "*/*", "cookie", cookies.join("; "), "x-last", "1"]);
  }
});

test("a cookie longer than maxHeaderBytes gets 431, in one field or in several", () => {
  const cookies = Array.from({ length: 20 }, (_, at) => `c${at}=${"x".repeat(limits.maxHeaderBytes / 20)}`);
  const status = (...lines: string[]): number | undefined =>
    new RequestHeads(limits).read(get("/", ...lines), true).refusal?.status;
  expect(status("cookie", cookies.join("; "))).toBe(431);
  expect(status(...cookies.flatMap((cookie) => ["cookie", cookie]))).toBe(431);
});

test("every head of a connection is parsed as if it were the first", () => {
  const random = seededRandom(7);
  const oneOf = <Value>(values: readonly Value[]): Value =>
    values[Math.floor(random() * values.length)] as Value; // never empty
  const heads = new RequestHeads(limits);
  for (let turn = 0; turn < 1000; turn++) {
    const raw = [
      ":method",
      oneOf(["GET", "POST", "OPTIONS", "CONNECT"]),
      ...oneOf([[], [":authority", "a"], [":authority", "b"], [":authority", "a b"]]),
      ":path",
      oneOf(["/a", "/b", "*", "http://c/d", "/#", `/${"x".repeat(100)}`]),
      ...oneOf([[], ["host", "a"], ["host", "b"]]),
      ...oneOf([[], ["content-length", "5"], ["content-length", "x"], ["expect", "100-continue"]]),
      ...oneOf([[], ["accept", "*/*"], ["accept", "text/html"]]),
      ...oneOf([[], ["cookie", "a=1", "cookie", "b=2"], ["cookie", "a=1; b=2"]]),
    ];
    const hasNoBody = oneOf([true, false]);
    expect(heads.read(raw, hasNoBody)).toEqual(new RequestHeads(limits).read(raw, hasNoBody));
  }
});
