import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { type IncomingHttpHeaders, type IncomingMessage, Server, type ServerResponse } from "node:http";
import { type PerformanceEntry, PerformanceObserver } from "node:perf_hooks";
import { expect, test } from "@jest/globals";
import { createNodeTransport } from "@framework/core/testing";
import { eventually, withServer } from "../harness/test-server.ts";

/** Message of the channel `http.server.request.start`, which tools observe. */
interface RequestStart {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}

/** Calls `observe` with every exchange before it is served, like a tracing tool, during `run`. */
const withObserver = async (
  observe: (start: RequestStart) => void,
  run: () => Promise<void>,
): Promise<void> => {
  const listener = (message: unknown): void => observe(message as RequestStart);
  subscribe("http.server.request.start", listener);
  await run().finally(() => unsubscribe("http.server.request.start", listener));
};

const get = (fields: string): string => `GET / HTTP/1.1\r\nHost: a\r\n${fields}\r\n`;

test("gives each message its own headers object with all its fields, even if requests of a connection repeat them", () => {
  const cookies = "Cookie: a=1\r\nX-Twice: 1\r\nCookie: b=2\r\nx-twice: 2\r\n";
  const messages = [get(""), ...Array<string>(5).fill(get(cookies)), get(""), get(cookies), get(cookies)];
  const withCookies = { host: "a", cookie: "a=1; b=2", "x-twice": "1, 2" };
  const seen: IncomingHttpHeaders[] = [];
  const forged: unknown[] = [];
  const observe = ({ request }: RequestStart): void => {
    seen.push({ ...request.headers });
    request.headers["x-forged"] = "yes";
    forged.push(request.headers["x-forged"]);
  };
  return withObserver(observe, () =>
    withServer(createNodeTransport, {}, async ({ connect, served }) => {
      const client = await connect();
      for (const message of messages) {
        await client.send(message);
        await client.replies(seen.length + 1);
      }
      expect(seen).toEqual(messages.map((message) => (message === get("") ? { host: "a" } : withCookies)));
      expect(forged).toEqual(messages.map(() => "yes"));
      for (const source of served) expect(source.field("x-forged")).toBeNull();
    }),
  );
});

test("accepts header fields that a tool sets, and does not change the received ones", () => {
  const seen: IncomingHttpHeaders[] = [];
  return withObserver(
    ({ request }) => {
      request.headers = { host: "b" };
      seen.push(request.headers);
    },
    () =>
      withServer(createNodeTransport, {}, async ({ connect, served }) => {
        const client = await connect();
        await client.send(get(""));
        await client.replies(1);
        expect([seen, served[0]?.authority]).toEqual([[{ host: "b" }], "a"]);
      }),
  );
});

test("emits the usual events of a response to its listeners, each once", () => {
  const events: unknown[][] = [];
  const observe = ({ response }: RequestStart): void => {
    for (const event of ["finish", "close"]) {
      response.on(event, (...given: unknown[]) => events.push([event, ...given, response.statusCode]));
    }
  };
  return withObserver(observe, () =>
    withServer(createNodeTransport, {}, async ({ connect }) => {
      const client = await connect();
      await client.send(get(""));
      await client.replies(1);
      await eventually(() => events.length === 2, "both events were emitted");
      expect(events).toEqual([
        ["finish", 200],
        ["close", 200],
      ]);
    }),
  );
});

const fields = "X-Own: 1\r\n";
const headers = { host: "a", "x-own": "1" };

/** A performance entry of type `http`; `@types/node` does not declare the type of its `detail`. */
interface HttpEntry extends PerformanceEntry {
  readonly detail: { readonly req: { readonly headers: IncomingHttpHeaders } };
}

/** Sends two requests on one connection, and returns when both are answered. */
const sendTwo = (): Promise<void> =>
  withServer(createNodeTransport, {}, async ({ connect }) => {
    const client = await connect();
    for (const count of [1, 2]) {
      await client.send(get(fields));
      await client.replies(count);
    }
  });

test("a tool that replaces `emit` of all servers sees all fields", async () => {
  const { emit } = Server.prototype;
  const seen: IncomingHttpHeaders[] = [];
  Server.prototype.emit = function (this: Server, event: string, ...values: unknown[]) {
    if (event === "request") seen.push({ ...(values[0] as IncomingMessage).headers });
    return emit.call(this, event, ...values);
  };
  try {
    await sendTwo();
  } finally {
    Server.prototype.emit = emit;
  }
  expect(seen).toEqual([headers, headers]);
});

test("a subscriber to the creation of responses sees all fields", async () => {
  const seen: IncomingHttpHeaders[] = [];
  const observe = (message: unknown): void =>
    void seen.push({ ...(message as { request: IncomingMessage }).request.headers });
  subscribe("http.server.response.created", observe);
  await sendTwo().finally(() => unsubscribe("http.server.response.created", observe));
  expect(seen).toEqual([headers, headers]);
});

test("an observer of performance entries sees all fields", async () => {
  const seen: PerformanceEntry[] = [];
  const observer = new PerformanceObserver((list) => void seen.push(...list.getEntries()));
  observer.observe({ entryTypes: ["http"] });
  await sendTwo();
  await eventually(() => seen.length === 2, "both entries were observed");
  observer.disconnect();
  const seenHeaders = seen.map((entry) => (entry as HttpEntry).detail.req.headers);
  expect(seenHeaders).toEqual([headers, headers]);
});
