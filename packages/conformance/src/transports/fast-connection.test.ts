import { expect, test } from "@jest/globals";
import { Response } from "@framework/core";
import { createFastTransport, type Serve } from "@framework/core/testing";
import { parseReplies } from "../harness/raw-client.ts";
import { eventually, turn, withServer } from "../harness/test-server.ts";

const get = (target: string, fields = ""): string => `GET ${target} HTTP/1.1\r\nHost: a\r\n${fields}\r\n`;
const later: Serve = async ({ target }) => {
  await turn(1);
  return Response.text(target);
};

test("joins the replies to requests that arrived together into one write", () =>
  withServer(createFastTransport, {}, async (server) => {
    const client = await server.connect();
    const sizes: number[] = [];
    client.socket.on("data", (chunk: Buffer) => sizes.push(chunk.length));
    await client.send(get("/").repeat(40));
    await client.replies(40);
    expect(sizes.length).toBe(1);
  }));

test("joins replies whose promises resolve in the same turn", () =>
  withServer(createFastTransport, { serve: async ({ target }) => Response.text(target) }, async (server) => {
    const client = await server.connect();
    const sizes: number[] = [];
    client.socket.on("data", (chunk: Buffer) => sizes.push(chunk.length));
    await client.send(get("/").repeat(16));
    await client.replies(16);
    expect(sizes.length).toBeLessThan(4);
  }));

test("stops reading while its pipeline is full, and continues afterwards", () => {
  const waiting: (() => void)[] = [];
  const serve: Serve = ({ target }) =>
    target === "/wait"
      ? new Promise((resolve) => waiting.push(() => resolve(Response.text(""))))
      : Response.text("");
  return withServer(createFastTransport, { serve }, async (server) => {
    const client = await server.connect();
    const bulk = get("/bulk", `X: ${"x".repeat(10_000)}\r\n`).repeat(2000);
    void client.send(get("/wait").repeat(16) + bulk);
    await eventually(() => server.served.length === 16, "16 requests wait");
    await turn(1000);
    expect(client.socket.writableLength).toBeGreaterThan(bulk.length / 2);
    for (const finish of waiting) finish();
    await eventually(() => server.served.length === 2016, "the rest is served");
    await client.until((received) => received.split("HTTP/1.1 200").length === 2017);
  });
});

test("answers a pipeline longer than one read", () =>
  withServer(createFastTransport, { serve: later }, async (server) => {
    const client = await server.connect();
    const targets = Array.from({ length: 3000 }, (_, index) => `/${index}`);
    await client.send(targets.map((target) => get(target, `X: ${"x".repeat(80)}\r\n`)).join(""));
    expect((await client.replies(3000)).map(({ body }) => body)).toEqual(targets);
  }));

test("measures the time of an idle connection from its last reply", () =>
  withServer(createFastTransport, { serve: later, timeouts: { idleSecs: 10 } }, async (server) => {
    const client = await server.connect();
    for (const count of [1, 2, 3]) {
      await client.send(get("/"));
      await client.replies(count);
      await server.clock.advance(8000);
      await turn(4);
      expect(client.closed).toBe(false);
    }
    await server.clock.advance(3000);
    await client.untilClosed();
  }));

const last = get("/last", "Connection: close\r\n");
const closes: Record<string, readonly [serve: Serve, bytes: string]> = {
  "a request": [later, last],
  "a request that is answered immediately": [({ target }) => Response.text(target), last],
  "a pipeline": [later, get("/1") + get("/2") + last],
  "a body": [later, last.replace("GET", "POST").replace("\r\n\r\n", "\r\nContent-Length: 3\r\n\r\nabc")],
  "a streamed reply": [() => Response.stream(["/la", "st"]), last],
};
for (const [name, [serve, bytes]] of Object.entries(closes)) {
  test(`closes immediately after ${name} whose client requested the close, without waiting for the client`, () =>
    withServer(createFastTransport, { serve }, async (server) => {
      const client = await server.connect({ staysOpen: true });
      await client.send(bytes);
      expect((await client.untilClosed()).endsWith("/last") || client.received.endsWith("0\r\n\r\n")).toBe(
        true,
      );
      await eventually(() => server.transport.connections === 0, "the connection is closed");
      expect(client.reset).toBe(false);
    }));
}

test("a reply that is longer than all buffers is sent whole to a client that requested the close and reads late", () => {
  const body = "x".repeat(20_000_000);
  return withServer(createFastTransport, { serve: () => Response.text(body) }, async (server) => {
    const client = await server.connect({ staysOpen: true });
    client.socket.pause();
    await client.send(last);
    await eventually(() => server.served.length === 1, "the request is served");
    await turn(100);
    expect(server.transport.connections).toBe(1);
    client.socket.resume();
    const [reply] = parseReplies(await client.untilClosed(), true);
    expect([reply?.body.length, client.reset]).toEqual([body.length, false]);
  });
});

test("returns values and bytes that later requests do not change", () =>
  withServer(createFastTransport, {}, async (server) => {
    const client = await server.connect();
    const post = (body: string): string =>
      `POST /${body} HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\nX: ${body}\r\n\r\n${body}`;
    await client.send(post("abc") + post("def"));
    await client.replies(2);
    await client.send(post("ghi"));
    await client.replies(3);
    expect(
      server.served.map((source) => [
        source.target,
        source.field("x"),
        Buffer.from(source.buffered ?? []).toString(),
      ]),
    ).toEqual([
      ["/abc", "abc", "abc"],
      ["/def", "def", "def"],
      ["/ghi", "ghi", "ghi"],
    ]);
  }));

test("rejects an invalid certificate", () => {
  const tls = { cert: "no certificate", key: "no key" };
  return expect(
    withServer(
      (options) => createFastTransport({ ...options, tls }),
      {},
      () => Promise.resolve(),
    ),
  ).rejects.toThrow(/PEM|no start line/i);
});
