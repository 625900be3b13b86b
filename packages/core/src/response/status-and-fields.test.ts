import { expect, test } from "@jest/globals";
import { Response } from "./response.ts";

const text = "text/plain; charset=utf-8";

test.each([200, 204, 299, 304, 404, 599])(
  "accepts the status %p, in the options and by assignment",
  (status) => {
    const response = new Response(null, { status });
    expect([response.status, response.ok]).toEqual([status, status < 300]);
    const other = new Response();
    other.status = status;
    expect(other.status).toBe(status);
  },
);

test.each([0, 99, 101, 199, 600, 200.5, Number.NaN, "200", null])(
  "rejects the status %p, in the options and by assignment",
  (status) => {
    const bad = expect.objectContaining({ code: "CORE_BAD_STATUS" });
    expect(() => new Response(null, { status: status as number })).toThrow(bad);
    expect(() => Response.json(1, { status: status as number })).toThrow(bad);
    expect(() => Object.assign(new Response(), { status })).toThrow(bad);
  },
);

test("contentType overrides headers, and headers override the type of the body", () => {
  const headers = { "Content-Type": "a/b", "X-A": "1" };
  expect(new Response("x", { headers }).fields()).toEqual(["content-type", "a/b", "x-a", "1"]);
  expect(new Response("x", { headers, contentType: "c/d" }).fields()).toEqual([
    "content-type",
    "c/d",
    "x-a",
    "1",
  ]);
  expect(new Response("x", { contentType: "c/d" }).fields()).toEqual(["content-type", "c/d"]);
  expect(Response.json(1, { headers }).contentType).toBe("a/b");
  expect(new Response("x", { headers: { "x-a": "1" } }).contentType).toBe(text);
});

test("contentType can be set and removed, before and after headers are accessed", () => {
  const response = new Response("x");
  response.contentType = "a/b";
  expect(response.headers.get("content-type")).toBe("a/b");
  response.contentType = "c/d";
  expect(response.fields()).toEqual(["content-type", "c/d"]);
  response.contentType = null;
  expect([response.contentType, response.fields()]).toEqual([null, []]);
  expect(() => (response.contentType = "a\n")).toThrow(expect.objectContaining({ code: "CORE_BAD_HEADER" }));
  expect(() => (new Response("x").contentType = "a\n")).toThrow(
    expect.objectContaining({ code: "CORE_BAD_HEADER" }),
  );
});

test("headers, setHeader and appendHeader change the sent fields", () => {
  const response = Response.json(1).setHeader("X-A", "1").appendHeader("vary", "a").appendHeader("vary", "b");
  response.headers.delete("x-a");
  expect(response.fields()).toEqual(["content-type", "application/json", "vary", "a", "vary", "b"]);
});
