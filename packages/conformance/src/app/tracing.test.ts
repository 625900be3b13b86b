import { channel } from "node:diagnostics_channel";
import { afterEach, describe, expect, jest, test } from "@jest/globals";
import { App, type HttpRequest, Response } from "@framework/core";
import type { RequestEnded, RequestFailed, RequestStarted } from "@framework/core/feature";
import { connectRaw } from "../harness/raw-client.ts";
import { eventually, turn } from "../harness/test-server.ts";

jest.setTimeout(30_000); // a loaded machine may take long

const start = channel("framework.request.start");
const end = channel("framework.request.end");
const error = channel("framework.request.error");
const undo: (() => void)[] = [];
afterEach(() => undo.splice(0).forEach((task) => task()));

/** Writes down what is published; gives the requests that were seen, too. */
const watch = (): { seen: string[]; requests: Set<HttpRequest> } => {
  const seen: string[] = [];
  const requests = new Set<HttpRequest>();
  const listen = <T extends RequestStarted>(of: typeof start, tell: (event: T) => string): void => {
    const listener = (event: unknown): void => {
      requests.add((event as T).request);
      seen.push(tell(event as T));
    };
    of.subscribe(listener);
    undo.push(() => of.unsubscribe(listener));
  };
  listen(start, ({ request }) => `start ${request.method} ${request.route}`);
  listen<RequestEnded>(end, (event) => `end ${event.status} ${event.end}`);
  listen<RequestFailed>(error, ({ error: failure }) => `error ${failure.message}`);
  return { seen, requests };
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
  const served = async (run: (port: number) => Promise<void>): Promise<void> => {
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
    ["/now/7", ["start GET /now/{id}", "end 200 sent"]],
    ["/later", ["start GET /later", "end 202 sent"]],
    ["/bad", ["start GET /bad", "error a bug", "end 500 sent"]],
    ["/handled", ["start GET /handled", "end 500 sent"]],
    ["/nowhere", ["start GET null", "end 404 sent"]],
    ["/%", ["start GET null", "end 400 sent"]],
  ])("publishes start, error and end of a request for %s", (target, expected) =>
    served(async (port) => {
      const { seen, requests } = watch();
      const client = await connectRaw(port);
      await client.send(get(target));
      await client.replies(1);
      await eventually(() => seen.length === expected.length, "all is published");
      expect(seen).toEqual(expected);
      expect(requests.size).toBe(1);
      client.destroy();
    }),
  );

  test("publishes the end of a request whose client left before there was a reply", () =>
    served(async (port) => {
      const { seen } = watch();
      const client = await connectRaw(port);
      await client.send(get("/never"));
      await eventually(() => seen.length === 1, "it began");
      client.socket.resetAndDestroy();
      await eventually(() => seen.length === 2, "it ended");
      expect(seen).toEqual(["start GET /never", "end null aborted"]);
    }));

  test("publishes ends, too, when nobody listens for starts", () =>
    served(async (port) => {
      const seen: unknown[] = [];
      const listener = (event: unknown): void => void seen.push((event as RequestEnded).status);
      end.subscribe(listener);
      undo.push(() => end.unsubscribe(listener));
      const client = await connectRaw(port);
      await client.send(get("/now/1"));
      await eventually(() => seen.length === 1, "it ended");
      expect(seen).toEqual([200]);
      client.destroy();
    }));
});
