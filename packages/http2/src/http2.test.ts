import { once } from "node:events";
import { connect } from "node:http2";
import { App, type HttpRequest, Response } from "@framework/core";
import { eventually, overHttp2, selfSigned } from "@framework/conformance";
import { expect, test } from "@jest/globals";
import { http2 } from "./http2.ts";
import {
  block,
  connectFrames,
  DATA,
  END_HEADERS,
  END_STREAM,
  frame,
  getFields,
  HEADERS,
  RST_STREAM,
} from "./raw-frames.test-kit.ts";

const options = { port: 0, exitOnError: false, argv: [], environment: {}, logs: false } as const;
const { cert, key } = selfSigned();

const createApp = () => {
  const app = new (App.with(http2))();
  app.get("/", (request) => ({ http: request.httpVersion, secure: request.isSecure, host: request.host }));
  return app;
};

const getJson = async (port: number, ca?: string): Promise<unknown> => {
  const client = overHttp2(port, ca);
  const reply = await client.send();
  const text = await reply.text();
  client.destroy();
  return JSON.parse(text);
};

test("serves HTTP/2 over TLS", async () => {
  const running = await createApp()
    .enableHttp2()
    .run({ ...options, tls: { cert, key } });
  try {
    expect(await getJson(running.port, cert)).toEqual({ http: "2", secure: true, host: "a" });
  } finally {
    await running.close();
  }
});

test("with h2c, serves HTTP/2 and HTTP/1.1 without TLS", async () => {
  const running = await createApp().enableHttp2({ h2c: true }).run(options);
  try {
    expect(await getJson(running.port)).toEqual({ http: "2", secure: false, host: "a" });
    const reply = await fetch(running.url);
    expect(await reply.json()).toEqual({ http: null, secure: false, host: new URL(running.url).host });
  } finally {
    await running.close();
  }
});

test('an exchange ends with "sent", with and without a request body', async () => {
  const ends: string[] = [];
  const app = createApp().enableHttp2({ h2c: true });
  const record = (request: HttpRequest): void =>
    request.onEnd((end) => ends.push(`${request.method} ${end}`));
  app.get("/noted", (request) => {
    record(request);
    return "read";
  });
  app.post("/noted", async (request) => {
    record(request);
    return await request.text();
  });
  const running = await app.run(options);
  const client = overHttp2(running.port);
  const texts: string[] = [];
  for (const method of ["GET", "POST"]) {
    const reply = await client.send({ method, path: "/noted", ...(method === "POST" && { body: "a body" }) });
    texts.push(await reply.text());
    await eventually(() => ends.length === texts.length, "the end");
  }
  client.destroy();
  await running.close();
  expect([texts, ends]).toEqual([
    ["read", "a body"],
    ["GET sent", "POST sent"],
  ]);
});

test("serves a request with 180 cookies, each in its own field", async () => {
  const app = createApp().enableHttp2({ h2c: true });
  app.get("/cookies", (request) => request.getHeader("cookie")?.split("; ").length);
  const running = await app.run(options);
  const client = connectFrames(running.port);
  const cookies = Array.from({ length: 180 }, (_, at) => ["cookie", `c${at}=${at}`] as const);
  const others = Array.from({ length: 30 }, (_, at) => [`x-${at}`, "1"] as const);
  client.send(
    frame(HEADERS, END_HEADERS | END_STREAM, 1, block([...getFields("/cookies"), ...others, ...cookies])),
  );
  const body = await client.until(({ type }) => type === DATA || type === RST_STREAM);
  expect(body.payload.toString()).toBe("180");
  client.socket.destroy();
  await running.close();
});

test("an invalid option is a start error", async () => {
  const app = createApp().enableHttp2({ maxConcurrentStreams: 0 });
  await expect(app.run(options)).rejects.toThrow("Http2Config.maxConcurrentStreams");
});

test("the log line of a failed reply has the request's path and client, not its query", async () => {
  const lines: (readonly [message: string, fields: unknown])[] = [];
  const record = (message: string, fields?: unknown): void => void lines.push([message, fields]);
  const app = createApp().enableHttp2({ h2c: true });
  app.get("/broken", async function* () {
    yield "one";
    throw new Error("disk gone");
  });
  const running = await app.run({ ...options, log: { info: record, warn: record, error: record } });
  const client = overHttp2(running.port);
  await client
    .send({ path: "/broken?token=SECRET" })
    .then((reply) => reply.text())
    .catch(() => null);
  const failed = () => lines.filter(([message]) => message === "a streamed reply failed");
  await eventually(() => failed().length === 1, "the log line");
  client.destroy();
  await running.close();
  expect(JSON.stringify(lines)).not.toContain("SECRET");
  expect(failed()[0]?.[1]).toMatchObject({ method: "GET", path: "/broken", clientIp: "127.0.0.1" });
});

test("fields of HTTP/1.1 connections are dropped from replies, also a field on its own", async () => {
  const app = createApp().enableHttp2({ h2c: true });
  const names = ["http2-settings", "keep-alive", "proxy-connection", "te", "transfer-encoding", "upgrade"];
  const sets = [names, ...names.map((name) => [name])];
  for (const [at, set] of sets.entries()) {
    const headers = { ...Object.fromEntries(set.map((name) => [name, "x"])), "x-kept": "1" };
    app.get(`/${at}`, () => new Response("all", { headers }));
  }
  const running = await app.run(options);
  const client = connect(running.url);
  try {
    for (const at of sets.keys()) {
      const request = client.request({ ":path": `/${at}` });
      const [received] = (await once(request, "response")) as [Readonly<Record<string, unknown>>];
      expect(received).toMatchObject({ ":status": 200, "x-kept": "1" });
      expect(names.filter((name) => name in received)).toEqual([]);
    }
  } finally {
    client.destroy();
    await running.close();
  }
});
