import { connect } from "node:net";
import { App, RequestId } from "@framework/core";
import type { Feature, Host } from "@framework/core/feature";
import { socketClient, waitFor } from "@framework/testing";
import { expect, test } from "@jest/globals";
import { logging } from "./index.ts";

const fixedId: Feature<object> = {
  name: "fixedId",
  install: (host: Host) => {
    host.http.use("request-id", (request, next) => {
      request.context.set(RequestId, "id-1");
      return next(request);
    });
    return {};
  },
};

const makeApp = () => {
  const text: string[] = [];
  const app = new (App.with(logging, fixedId))().enableLogging({
    format: "json",
    destination: { write: (lines) => void text.push(lines) },
  });
  const lines = () =>
    text
      .join("")
      .split("\n")
      .slice(0, -1)
      .map((line) => JSON.parse(line) as object);
  return { app, lines };
};

const get = (path: string): string => `GET ${path} HTTP/1.1\r\nHost: host.test\r\n\r\n`;

const open = (url: string) => {
  const socket = connect(Number(new URL(url).port), "127.0.0.1");
  socket.on("error", () => {}); // the test destroys the connection
  return socket;
};

for (const transport of ["fast", "node"] as const) {
  test(`a disconnect before the reply is logged immediately, and only once (${transport})`, async () => {
    const { app, lines } = makeApp();
    const { promise: answer, resolve } = Promise.withResolvers<string>();
    let called = false;
    app.get("/slow", () => {
      called = true;
      return answer;
    });
    await using client = socketClient(app, { transport, logs: true });
    await client.get("/nowhere");
    const socket = open(await client.url("/"));
    socket.write(get("/slow"));
    await waitFor(() => called);
    socket.destroy();
    await waitFor(() => lines().length === 2);
    expect(lines()[1]).toMatchObject({ path: "/slow", status: 499, aborted: true, level: "warn", bytes: 0 });
    resolve("late");
    await client.get("/nowhere");
    await waitFor(() => lines().length >= 3);
    expect(lines().map((line) => (line as { path: string }).path)).toEqual(["/nowhere", "/slow", "/nowhere"]);
  });

  test(`a stream whose client disconnects has one line, with the bytes sent (${transport})`, async () => {
    const { app, lines } = makeApp();
    async function* endless() {
      for (;;) {
        yield new Uint8Array(1000);
        await new Promise((resolve) => setImmediate(resolve));
      }
    }
    app.get("/endless", () => endless());
    await using client = socketClient(app, { transport, logs: true });
    await client.get("/nowhere");
    const socket = open(await client.url("/"));
    let received = 0;
    socket.on("data", (chunk) => (received += chunk.length));
    socket.write(get("/endless"));
    await waitFor(() => received > 5000);
    socket.destroy();
    await waitFor(() => lines().length === 2);
    const [, line] = lines();
    expect(line).toMatchObject({ path: "/endless", status: 200, aborted: true, level: "info" });
    expect((line as { bytes: number }).bytes).toBeGreaterThan(4000);
  });

  test(`lines about a request have its id, path and client, and never its query (${transport})`, async () => {
    const { app, lines } = makeApp();
    async function* broken() {
      yield "one";
      throw new Error("disk gone");
    }
    app.get("/broken", (request) => {
      request.defer(() => Promise.reject(new Error("deferred")));
      request.onEnd(() => {
        throw new Error("at the end");
      });
      return broken();
    });
    const requestLines = () => lines().filter((line) => "path" in line || "error" in line);
    const options = {
      port: 0,
      transport,
      argv: [],
      environment: {},
      exitOnError: false,
      workers: 1,
    } as const;
    const running = await app.run({ ...options, logs: true });
    await fetch(`${running.url}/broken?token=SECRET`)
      .then((reply) => reply.text())
      .catch(() => null);
    await waitFor(() => requestLines().length === 4);
    await running.close();
    expect(JSON.stringify(lines())).not.toContain("SECRET");
    const common = { method: "GET", path: "/broken", request_id: "id-1", client_ip: "127.0.0.1" };
    const byMessage = Object.fromEntries(
      requestLines().map((line) => [(line as { message?: string }).message ?? "request", line]),
    );
    expect(byMessage).toMatchObject({
      "a streamed reply failed": { ...common, error: { message: "disk gone" } },
      "background task failed": { ...common, error: { message: "deferred" } },
      "a listener for the end of an exchange threw": { ...common, error: { message: "at the end" } },
      request: { ...common, error: "disk gone" },
    });
  });

  test(`the line of a failed stream has its error (${transport})`, async () => {
    const { app, lines } = makeApp();
    async function* broken() {
      yield "one";
      throw new Error("disk gone");
    }
    app.get("/broken", () => broken());
    await using client = socketClient(app, { transport, logs: true });
    await client.get("/broken").catch(() => null);
    const isRequest = (line: object) => "method" in line && "latency" in line;
    await waitFor(() => lines().some(isRequest));
    expect(lines().filter(isRequest)).toMatchObject([{ path: "/broken", error: "disk gone" }]);
  });

  test(`a failed stream has a line, even if the message of its error is not a string (${transport})`, async () => {
    const { app, lines } = makeApp();
    async function* broken() {
      yield "one";
      throw Object.defineProperty(new Error("disk gone"), "message", { value: 7 });
    }
    app.get("/broken", () => broken());
    await using client = socketClient(app, { transport, logs: true });
    await client.get("/broken").catch(() => null);
    const isRequest = (line: object) => "method" in line && "latency" in line;
    await waitFor(() => lines().some(isRequest));
    expect(lines().filter(isRequest)).toMatchObject([{ path: "/broken", error: "7" }]);
  });
}

for (const transport of ["fast", "node"] as const) {
  test(`a request refused by the transport has a line, with a dash for unreadable parts (${transport})`, async () => {
    const { app, lines } = makeApp();
    await using client = socketClient(app, { transport });
    const port = Number(new URL(await client.url("/")).port);
    for (const bytes of ["GET /books HTTP/1.1\r\n\r\n", "\x16\x03\x01\r\n\r\n"]) {
      const socket = connect(port, "127.0.0.1");
      socket.resume().write(bytes);
      await new Promise((resolve) => socket.once("close", resolve));
    }
    await waitFor(() => lines().length >= 2);
    expect(lines()).toMatchObject([
      { method: "GET", path: "/books", status: 400, level: "warn" },
      { method: "-", path: "-", status: 400, level: "warn" },
    ]);
  });
}
