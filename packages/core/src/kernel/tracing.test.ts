import { AsyncLocalStorage } from "node:async_hooks";
import { channel } from "node:diagnostics_channel";
import { afterEach, expect, test } from "@jest/globals";
import { App, type HttpRequest, Response } from "../index.ts";
import type { RequestStarted } from "../feature.ts";
import { createTracing } from "./tracing.ts";

const aTurn = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve));
const start = channel("framework.request.start");
const undo: (() => void)[] = [];
afterEach(() => undo.splice(0).forEach((task) => task()));

test("a handler runs in the contexts that are bound to the channel of starts, also behind a wait", async () => {
  const context = new AsyncLocalStorage<string | null>();
  start.bindStore(context, (event) => (event as RequestStarted).request.route);
  undo.push(() => void start.unbindStore(context));
  const app = new App();
  app.get("/a/{b}", async () => [context.getStore(), (await aTurn(), context.getStore())]);
  const reply = await app.fetch(new Request("http://localhost/a/1"));
  expect(await reply.json()).toEqual(["/a/{b}", "/a/{b}"]);
});

test("touches nothing of a request while nobody listens", () => {
  const untouchable = new Proxy({} as HttpRequest, {
    get: (_, name) => {
      throw new Error(`touched ${String(name)}`);
    },
  });
  const reply = Response.text("x");
  const { answer, failed } = createTracing();
  const handled: HttpRequest[] = [];
  const handle = (request: HttpRequest) => (handled.push(request), reply);
  expect(answer(handle, untouchable)).toBe(reply);
  failed(untouchable, new Error("a bug"));
  expect(handled).toHaveLength(1);
  const listener = (): void => {};
  start.subscribe(listener);
  undo.push(() => start.unsubscribe(listener));
  expect(() => answer(handle, untouchable)).toThrow("touched onEnd");
});
