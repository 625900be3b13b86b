import { App, type Logger, RequestId } from "@framework/core";
import { testClient, waitFor } from "@framework/testing";
import { expect, test } from "@jest/globals";
import { logging, logOf } from "./index.ts";

const makeApp = () => {
  const text: string[] = [];
  const app = new (App.with(logging))().enableLogging({
    format: "json",
    destination: { write: (lines) => void text.push(lines) },
  });
  const lines = () =>
    text
      .join("")
      .split("\n")
      .slice(0, -1)
      .map((line) => JSON.parse(line) as Record<string, unknown>);
  return { app, lines };
};

test("the framework's lines are written to the stream until the app stops, with the request's id", async () => {
  const { app, lines } = makeApp();
  const own: string[] = [];
  let redirected: Logger | null = null;
  const log: Logger = {
    info: (message) => void (redirected?.info(message) ?? own.push(message)),
    warn: (message) => void own.push(message),
    error: (message, fields) =>
      redirected === null ? void own.push(message) : redirected.error(message, fields),
    redirect(to) {
      redirected = to;
      return () => (redirected = null);
    },
  };
  app.use((request, next) => {
    request.context.set(RequestId, "id-1");
    return next(request);
  });
  app.get("/", () => {
    throw new Error("no luck");
  });
  await app.start({ log });
  await app.fetch(new Request("http://host.test/"));
  await waitFor(() => lines().length === 2);
  expect(lines()[0]).toMatchObject({
    level: "error",
    message: "GET / failed: no luck",
    error: { name: "Error", message: "no luck", stack: expect.stringContaining("one-stream.test.ts") },
    request_id: "id-1",
  });
  expect(lines()[1]).toMatchObject({ status: 500, request_id: "id-1" });
  expect(own).toEqual([]);
  await app.stop();
  log.error("after");
  expect(own).toEqual(["after"]);
});

test("an error is written with its class, and an AggregateError with its errors", async () => {
  class Unpaid extends TypeError {}
  const { app, lines } = makeApp();
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

test("a request has one log, whose lines have its ids; children add fields", async () => {
  const { app, lines } = makeApp();
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
  const { app, lines } = makeApp();
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
  const { app, lines } = makeApp();
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

test("using the log before start or without enableLogging throws an error that names the missing call", () => {
  const { app } = makeApp();
  expect(() => app.log()).toThrow("call enableLogging() before the app starts");
  expect(() => new (App.with(logging))().log()).toThrow(
    expect.objectContaining({ code: "LOGGING_NOT_STARTED" }),
  );
});
