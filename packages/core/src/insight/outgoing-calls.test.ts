import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, test } from "@jest/globals";
import type { Feature, Operations, OutgoingCallObserver, TracedOperation } from "../feature.ts";
import { App } from "../index.ts";

/** A server that replies with the `x-trace` field of the request. */
const echoServer = async () => {
  const server = createServer((request, reply) => void reply.end(String(request.headers["x-trace"])));
  await once(server.listen(0, "127.0.0.1"), "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/path?token=secret`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await once(server.close(), "close");
    },
  };
};

interface Recorder {
  readonly calls: TracedOperation[];
  readonly work: Operations<string>;
  observeCalls(observer?: OutgoingCallObserver): () => void;
}

const recorder: Feature<Recorder> = {
  name: "recorder",
  install({ insight }) {
    const calls: TracedOperation[] = [];
    insight.onOperation({
      start: () => null,
      end: (operation) => void (operation.kind === "http.client" && calls.push(operation)),
    });
    return {
      calls,
      work: insight.operation<string>({ kind: "work", role: "internal", describe: (name) => ({ name }) }),
      observeCalls: (observer) => insight.publishOutgoingCalls(observer),
    };
  },
};

const recordingApp = (): App & Recorder => new (App.with(recorder))();

const get = async (url: string): Promise<string> => (await fetch(url)).text();

test("a call of fetch is an operation with its method, server and status, without its path and query", async () => {
  await using server = await echoServer();
  const app = recordingApp();
  const end = app.observeCalls();
  await get(server.url);
  end();
  await get(server.url);
  expect(app.calls).toHaveLength(1);
  expect(app.calls[0]).toMatchObject({ kind: "http.client", role: "client", name: "GET", error: null });
  expect(app.calls[0]?.attributes).toEqual({
    "http.request.method": "GET",
    "http.response.status_code": 200,
    "server.address": "127.0.0.1",
    "server.port": Number(new URL(server.url).port),
  });
});

test("a call with an unknown method is named HTTP, and its method attribute is _OTHER", async () => {
  await using server = await echoServer();
  const app = recordingApp();
  const end = app.observeCalls();
  await (await fetch(server.url, { method: "BREW" })).text();
  end();
  expect(app.calls[0]).toMatchObject({ name: "HTTP", attributes: { "http.request.method": "_OTHER" } });
});

test("several observers get one operation, with the attributes and header fields that they add", async () => {
  await using server = await echoServer();
  const app = recordingApp();
  const ends = [
    app.observeCalls({ attributes: ({ path }) => ({ "url.path": path.split("?")[0] ?? "" }) }),
    app.observeCalls({ started: (call) => void call.addHeader("x-trace", "1") }),
  ];
  expect(await get(server.url)).toBe("1");
  for (const end of ends) end();
  expect(app.calls.map(({ attributes }) => attributes["url.path"])).toEqual(["/path"]);
});

test("a call that an observer does not accept is not published", async () => {
  await using server = await echoServer();
  const app = recordingApp();
  const ends = [app.observeCalls(), app.observeCalls({ accepts: ({ method }) => method !== "GET" })];
  await get(server.url);
  for (const end of ends) end();
  expect(app.calls).toEqual([]);
});

test("a call belongs to the app of the current operation, otherwise to the app that began to observe last", async () => {
  await using server = await echoServer();
  const [first, last] = [recordingApp(), recordingApp()];
  const ends = [first, last].map((app) => app.observeCalls());
  await first.work.run("import", () => get(server.url));
  expect([first.calls.length, last.calls.length]).toEqual([1, 0]);
  await get(server.url);
  expect([first.calls.length, last.calls.length]).toEqual([1, 1]);
  for (const end of ends) end();
});

test("an observer that throws is logged, and the call succeeds", async () => {
  await using server = await echoServer();
  const errors: unknown[] = [];
  const app = recordingApp();
  await app.start({
    log: { info() {}, warn() {}, error: (_message, fields) => void errors.push(fields?.["error"]) },
  });
  const broken = new Error("broken");
  const observers: OutgoingCallObserver[] = [
    { accepts: () => raise(broken) },
    { attributes: () => raise(broken) },
    { started: () => raise(broken) },
  ];
  for (const observer of observers) {
    const end = app.observeCalls(observer);
    expect(await get(server.url)).toBe("undefined");
    end();
  }
  expect(errors).toEqual([broken, broken, broken]);
});

const raise = (error: Error): never => {
  throw error;
};
