import { channel } from "node:diagnostics_channel";
import { afterEach, describe, expect, test } from "@jest/globals";
import { App, Response } from "@framework/core";
import type { TracedOperation } from "@framework/core/feature";
import { connectRaw } from "../harness/raw-client.ts";
import { eventually, turn } from "../harness/test-server.ts";

const start = channel("framework.operation.start");
const end = channel("framework.operation.end");
const error = channel("framework.operation.error");
const undo: (() => void)[] = [];
afterEach(() => undo.splice(0).forEach((task) => task()));

/** Records the published events; also returns the operations. */
const watch = (): { seen: string[]; operations: Set<TracedOperation> } => {
  const seen: string[] = [];
  const operations = new Set<TracedOperation>();
  const listen = (events: typeof start, write: (operation: TracedOperation) => string): void => {
    const listener = (message: unknown): void => {
      operations.add(message as TracedOperation);
      seen.push(write(message as TracedOperation));
    };
    events.subscribe(listener);
    undo.push(() => events.unsubscribe(listener));
  };
  listen(start, ({ kind, name }) => `start ${kind} ${name}`);
  listen(end, ({ attributes }) =>
    ["end", attributes["http.response.status_code"], attributes["error.type"]].join(" ").trimEnd(),
  );
  listen(error, (operation) => `error ${operation.error?.message}`);
  return { seen, operations };
};

const makeApp = (): App => {
  const app = new App();
  app.get("/now/{id}", () => "now");
  app.get("/later", async () => (await turn(1), Response.text("later", { status: 202 })));
  app.get("/bad", () => {
    throw new Error("a bug");
  });
  app.get("/handled", () => {
    throw new RangeError("expected");
  });
  app.exceptionHandler(RangeError, () => ({ fine: true }));
  app.get("/never", () => new Promise(() => {}));
  return app;
};

const get = (target: string): string => `GET ${target} HTTP/1.1\r\nHost: a\r\n\r\n`;

describe.each(["fast", "node"] as const)("%s", (transport) => {
  const withApp = async (run: (port: number) => Promise<void>): Promise<void> => {
    const log = { info() {}, warn() {}, error() {} };
    const options = { transport, port: 0, exitOnError: false, argv: [], environment: {}, log };
    const running = await makeApp().run(options);
    try {
      await run(running.port);
    } finally {
      await running.close();
    }
  };

  test.each([
    ["/now/7", ["start http GET /now/{id}", "end 200"]],
    ["/later", ["start http GET /later", "end 202"]],
    ["/bad", ["start http GET /bad", "error a bug", "end 500 Error"]],
    ["/handled", ["start http GET /handled", "error expected", "end 500 RangeError"]],
    ["/nowhere", ["start http GET", "end 404"]],
    ["/%", ["start http GET", "end 400"]],
  ])("publishes start, error and end of a request for %s", (target, expected) =>
    withApp(async (port) => {
      const { seen, operations } = watch();
      const client = await connectRaw(port);
      await client.send(get(target));
      await client.replies(1);
      await eventually(() => seen.length === expected.length, "all events are published");
      expect(seen).toEqual(expected);
      expect(operations.size).toBe(1);
      client.destroy();
    }),
  );

  test("publishes the end of a request whose client disconnected before the reply", () =>
    withApp(async (port) => {
      const { seen } = watch();
      const client = await connectRaw(port);
      await client.send(get("/never"));
      await eventually(() => seen.length === 1, "the request has begun");
      client.socket.resetAndDestroy();
      await eventually(() => seen.length === 2, "the request has ended");
      expect(seen).toEqual(["start http GET /never", "end  aborted"]);
    }));

  test("publishes the end of a request even without a subscriber for its start", () =>
    withApp(async (port) => {
      const seen: unknown[] = [];
      const listener = (event: unknown): void =>
        void seen.push((event as TracedOperation).attributes["http.response.status_code"]);
      end.subscribe(listener);
      undo.push(() => end.unsubscribe(listener));
      const client = await connectRaw(port);
      await client.send(get("/now/1"));
      await eventually(() => seen.length === 1, "the request has ended");
      expect(seen).toEqual([200]);
      client.destroy();
    }));
});
