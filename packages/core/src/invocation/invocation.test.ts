import { expect, test } from "@jest/globals";
import { App, isHttpRequest, type Invocation } from "../index.ts";
import { createInvocation, toMetadata } from "../feature.ts";

test("an invocation has defaults for the optional parts, and its own context and signal", () => {
  const one = createInvocation({ kind: "message", name: "orders.placed" });
  const other = createInvocation({ kind: "message", name: "orders.placed" });
  expect([one.kind, one.name, one.headers.get("a"), one.headers.getAll("a"), one.params]).toEqual([
    "message",
    "orders.placed",
    null,
    [],
    {},
  ]);
  expect(one.signal.aborted).toBe(false);
  expect([one.context === one.context, one.context === other.context]).toEqual([true, false]);
  expect([one.signal === one.signal, one.signal === other.signal]).toEqual([true, false]);
  expect("constructor" in one.params).toBe(false);
});

test("headers may be a plain object or metadata", () => {
  const headers = toMetadata({ "X-Token": "a", "x-token": ["b", "c"], Empty: "", Absent: undefined });
  expect([headers.get("X-TOKEN"), headers.getAll("x-token"), headers.get("empty")]).toEqual([
    "a, b, c",
    ["a", "b", "c"],
    "",
  ]);
  expect([headers.get("absent"), headers.getAll("absent"), headers.get("constructor")]).toEqual([
    null,
    [],
    null,
  ]);
  expect(createInvocation({ kind: "grpc", name: "Say", headers }).headers).toBe(headers);
  expect(createInvocation({ kind: "grpc", name: "Say", headers: { get: "x" } }).headers.get("GET")).toBe("x");
});

test("a request is an invocation, named by its route", async () => {
  const seen: unknown[] = [];
  const app = new App().use((request, next) => {
    const invocation: Invocation = request;
    seen.push([invocation.kind, invocation.name, isHttpRequest(invocation), invocation.params["id"]]);
    return next(request);
  });
  app.get("/books/{id}", () => null);
  for (const path of ["/books/7", "/nowhere"]) await app.fetch(new Request(`http://host.test${path}`));
  expect(seen).toEqual([
    ["http", "GET /books/{id}", true, "7"],
    ["http", "GET", true, undefined],
  ]);
});

test("only an HttpRequest may have the kind http", () => {
  expect(isHttpRequest(createInvocation({ kind: "command", name: "PlaceOrder" }))).toBe(false);
  expect(() => createInvocation({ kind: "http", name: "GET /" })).toThrow(
    expect.objectContaining({ code: "CORE_BAD_INVOCATION" }),
  );
});
