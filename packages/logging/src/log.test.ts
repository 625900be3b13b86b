import { App, RequestId } from "@framework/core";
import { testClient, waitFor } from "@framework/testing";
import { expect, test } from "@jest/globals";
import { loggedApp } from "./collected-log.test-kit.ts";
import { logging, logOf } from "./index.ts";

test("an error is written with its class, and an AggregateError with its errors", async () => {
  class Unpaid extends TypeError {}
  const { app, lines } = loggedApp();
  app.get("/", (request) => {
    logOf(request).error("failed", {
      error: new AggregateError([new Unpaid("one"), "two"], "both", { cause: new RangeError("why") }),
    });
    return "done";
  });
  await using client = testClient(app);
  await client.get("/");
  await waitFor(() => lines().length === 2);
  expect(lines()[0]?.["error"]).toEqual({
    type: "AggregateError",
    name: "AggregateError",
    message: "both",
    stack: expect.stringContaining("AggregateError: both"),
    cause: expect.objectContaining({ type: "RangeError", message: "why" }),
    errors: [expect.objectContaining({ type: "Unpaid", name: "TypeError", message: "one" }), "two"],
  });
});

test("logOf returns one log for each request, which adds its ids to the lines, and a child adds its fields", async () => {
  const { app, lines } = loggedApp();
  app.use((request, next) => {
    request.context.set(RequestId, "id-2");
    return next(request);
  });
  app.get("/", (request) => {
    expect(logOf(request)).toBe(logOf(request));
    logOf(request)
      .child({ book: 7 })
      .warn("seen", { level: "forged", timestamp: 0, at: new Date(0) });
    return "done";
  });
  await using client = testClient(app);
  await client.get("/");
  await waitFor(() => lines().length === 2);
  const { timestamp, ...line } = lines()[0] ?? {};
  expect(line).toEqual({
    level: "warn",
    request_id: "id-2",
    book: 7,
    at: "1970-01-01T00:00:00.000Z",
    message: "seen",
  });
  expect(timestamp).toMatch(/^\d{4}-/);
});

test("logging never throws, for any message and for a child without fields", async () => {
  const { app, lines } = loggedApp();
  await using client = testClient(app);
  await client.get("/nowhere");
  const messages: unknown[] = [Symbol("s"), Object.create(null), { code: 7 }, null, undefined, 1n];
  for (const message of messages) app.log().info(message as string);
  app.log().info("no fields", null as unknown as undefined);
  const children: unknown[] = [undefined, null, "text", 7];
  for (const fields of children)
    app
      .log()
      .child(fields as {})
      .info("from a child"); // as an untyped program might call it
  await waitFor(() => lines().some(({ message }) => message === "from a child"));
  const written = lines().map(({ message }) => message);
  expect(written).toEqual(expect.arrayContaining(["Symbol(s)", '{"code":7}', "null", '"1"', "no fields"]));
  expect(written.filter((message) => message === "from a child")).toHaveLength(4);
});

test("logging never throws, for any field", async () => {
  const { app, lines } = loggedApp();
  await using client = testClient(app);
  await client.get("/nowhere");
  const circle: Record<string, unknown> = {};
  circle["self"] = circle;
  const fail = (): never => {
    throw new Error("getter");
  };
  const thrower = {
    get value() {
      return fail();
    },
  };
  const deep = JSON.parse(`${"[".repeat(5000)}${"]".repeat(5000)}`) as unknown;
  app.log().info("odd", {
    circle,
    deep,
    big: 1n,
    none: undefined,
    made: () => 1,
    bytes: new Uint8Array(3),
    nan: Number.NaN,
    invalid: new Date(Number.NaN),
  });
  const closed = new Proxy({}, { ownKeys: fail, get: fail });
  const error = Object.defineProperty(new Error("broken", { cause: closed }), "code", {
    get: fail,
  });
  app.log().info("thrower", Object.assign(thrower, { closed, error, id: 7 }));
  app
    .log()
    .info("proto", JSON.parse('{"__proto__":{"polluted":true},"toJSON":1}') as Record<string, unknown>);
  await waitFor(() => lines().length === 4);
  expect(lines()[1]).toMatchObject({
    circle: { self: "[circular]" },
    big: "1",
    bytes: "[3 bytes]",
    nan: null,
    invalid: null,
  });
  expect(lines()[2]).toMatchObject({
    message: "thrower",
    value: "[unreadable]",
    closed: "[unreadable]",
    error: { message: "broken", code: "[unreadable]", cause: "[unreadable]" },
    id: 7,
  });
  expect(lines()[3]).toMatchObject({ message: "proto", toJSON: 1 });
  expect(Object.prototype).not.toHaveProperty("polluted");
});

test("app.log throws before the app starts and without enableLogging, with an error that names the missing call", () => {
  const { app } = loggedApp();
  expect(() => app.log()).toThrow("call enableLogging() before the app starts");
  expect(() => new (App.with(logging))().log()).toThrow(
    expect.objectContaining({ code: "LOGGING_NOT_STARTED" }),
  );
});
