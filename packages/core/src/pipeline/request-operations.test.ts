import { AsyncLocalStorage } from "node:async_hooks";
import { channel } from "node:diagnostics_channel";
import { afterEach, expect, test } from "@jest/globals";
import { App, type HttpRequest, Response } from "../index.ts";
import type { TracedOperation } from "../feature.ts";
import { operationsWithoutApp } from "../insight/app-operations.ts";
import { createRequestOperations, requestOperation } from "./request-operations.ts";

const nextTurn = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve));
const start = channel("framework.operation.start");
const undo: (() => void)[] = [];
afterEach(() => undo.splice(0).forEach((task) => task()));

test("a handler runs in the contexts bound to the start channel, even after an await", async () => {
  const context = new AsyncLocalStorage<string | null>();
  start.bindStore(context, (operation) => (operation as TracedOperation).name);
  undo.push(() => void start.unbindStore(context));
  const app = new App();
  app.get("/a/{b}", async () => [context.getStore(), (await nextTurn(), context.getStore())]);
  const reply = await app.fetch(new Request("http://localhost/a/1"));
  expect(await reply.json()).toEqual(["GET /a/{b}", "GET /a/{b}"]);
});

test("the exception handler of an asynchronous handler runs in the contexts bound to the start channel", async () => {
  const context = new AsyncLocalStorage<string | null>();
  start.bindStore(context, (operation) => (operation as TracedOperation).name);
  undo.push(() => void start.unbindStore(context));
  const app = new App().exceptionHandler(RangeError, () => String(context.getStore()));
  app.get("/fails", async () => {
    await nextTurn();
    throw new RangeError("too far");
  });
  const reply = await app.fetch(new Request("http://localhost/fails"));
  expect(await reply.text()).toBe("GET /fails");
});

test("without a subscriber no member of a request is read", () => {
  const untouchable = new Proxy({} as HttpRequest, {
    get: (_, name) => {
      throw new Error(`touched ${String(name)}`);
    },
  });
  const reply = Response.text("x");
  const { serve, fail } = createRequestOperations(operationsWithoutApp(requestOperation));
  const handled: HttpRequest[] = [];
  const handle = (request: HttpRequest) => (handled.push(request), reply);
  expect(serve(handle, untouchable)).toBe(reply);
  fail(untouchable, new Error("a bug"));
  expect(handled).toHaveLength(1);
  const listener = (): void => {};
  start.subscribe(listener);
  undo.push(() => start.unsubscribe(listener));
  expect(() => serve(handle, untouchable)).toThrow("touched method");
});

test("describes a request with OpenTelemetry's attributes, without its query", async () => {
  const operations: TracedOperation[] = [];
  const listener = (message: unknown): void => void operations.push(message as TracedOperation);
  start.subscribe(listener);
  undo.push(() => start.unsubscribe(listener));
  const app = new App();
  app.get("/now/{id}", () => "now");
  await app.fetch(new Request("http://localhost/now/7?secret=1"));
  await app.fetch(new Request("http://localhost/now/7", { method: "BREW" }));
  const [one, other] = operations;
  expect(one).toMatchObject({
    role: "server",
    app,
    parent: null,
    error: null,
    subject: { route: "/now/{id}" },
  });
  expect(one?.attributes).toEqual({
    "http.request.method": "GET",
    "http.route": "/now/{id}",
    "url.path": "/now/7",
    "http.response.status_code": 200,
  });
  expect(one?.durationMs).toBeGreaterThanOrEqual(0);
  expect(other).toMatchObject({
    name: "HTTP",
    attributes: { "http.request.method": "_OTHER", "http.request.method_original": "BREW" },
  });
});
