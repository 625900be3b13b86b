// Above 250 lines: one table of the messages that are handed over, with the checks for each.
import { spawnSync } from "node:child_process";
import { expect, test } from "@jest/globals";
import { Response } from "@framework/core";
import { createFastTransport, readBody, type Serve } from "@framework/core/testing";
import { parseReplies } from "../harness/raw-client.ts";
import { eventually, type TestServer, turn, withServer } from "../harness/test-server.ts";

const host = "Host: a\r\n";
const get = (target: string, fields = ""): string => `GET ${target} HTTP/1.1\r\n${host}${fields}\r\n`;
const post = (fields: string, body: string): string => `POST /post HTTP/1.1\r\n${host}${fields}\r\n${body}`;

/** Replies with the target, the bytes and the transport of the request: only the fast path has complete bodies. */
const report: Serve = async (source) => {
  const bytes = await readBody(source, 1_000_000);
  const path = source.buffered === null || source.upgrade !== undefined ? "node" : "fast";
  return Response.text(`${path} ${source.target} ${Buffer.from(bytes).toString("latin1")}`);
};

const bodies = (received: string): string[] =>
  parseReplies(received, true)
    .filter(({ status }) => status !== 100)
    .map(({ body }) => body);

const messages: Record<string, [string, string, boolean]> = {
  "a chunked body": [
    post("Transfer-Encoding: chunked\r\n", "3;x\r\nabc\r\n2\r\nde\r\n0\r\nT: 1\r\n\r\n"),
    "node /post abcde",
    true,
  ],
  "Expect: 100-continue": [
    post("Expect: 100-continue\r\nContent-Length: 3\r\n", "abc"),
    "node /post abc",
    true,
  ],
  "HTTP/1.0": [get("/old", "Connection: keep-alive\r\n").replace("1.1", "1.0"), "node /old ", true],
  "HTTP/1.0 that closes": [get("/old").replace("1.1", "1.0"), "node /old ", false],
  "close among other Connection options": [get("/last", "Connection: x, close\r\n"), "node /last ", false],
  "an upgrade": [get("/chat", "Connection: Upgrade\r\nUpgrade: websocket\r\n"), "node /chat ", false],
  "absolute-form": [get("http://a/abs"), "node /abs ", true],
  "an empty line before the request": [`\r\n${get("/line")}`, "node /line ", true],
  "a rare method": [get("/dav").replace("GET", "PROPFIND"), "node /dav ", true],
};

for (const [name, [message, reply, keeps]] of Object.entries(messages)) {
  test(`hands over ${name}, wherever the bytes are split, without losing or repeating any`, () =>
    withServer(createFastTransport, { serve: report }, async (server) => {
      const before = get("/1") + post("Content-Length: 2\r\n", "xy");
      const bytes = before + message + get("/2");
      for (let at = 0; at <= bytes.length; at++) {
        const client = await server.connect();
        await client.send(bytes.slice(0, at));
        await turn();
        await client.send(bytes.slice(at));
        const expected = ["fast /1 ", "fast /post xy", reply, ...(keeps ? ["node /2 "] : [])];
        await client.until((received) => bodies(received).length === expected.length);
        expect(bodies(client.received)).toEqual(expected);
        client.destroy();
      }
      await eventually(() => server.transport.connections === 0, "all connections are gone");
      expect([server.transport.inFlight, server.logged]).toEqual([0, []]);
    }));
}

test("hands over a long body, and a short one, with all bytes in order, however they are split", () =>
  withServer(createFastTransport, { serve: report }, async (server) => {
    for (const length of [10_000, 65_536, 65_537, 200_000]) {
      const body = Array.from({ length }, (_, index) => String.fromCharCode(33 + ((index * 7) % 90))).join(
        "",
      );
      const bytes = get("/1") + post(`Content-Length: ${length}\r\n`, body) + get("/2");
      for (const at of [1, 30, 60, 75, 100, 150, 5000, length - 1, bytes.length - 40, bytes.length - 1]) {
        const client = await server.connect();
        await client.send(bytes.slice(0, at));
        await turn(at % 2 === 0 ? 1 : 4);
        await client.send(bytes.slice(at));
        const replies = await client.replies(3);
        expect(replies.map((reply) => reply.body.slice(5))).toEqual(["/1 ", `/post ${body}`, "/2 "]);
        client.destroy();
      }
    }
  }));

test("does not hand over a request whose short body arrives after its head", () =>
  withServer(createFastTransport, { serve: report }, async (server) => {
    const client = await server.connect();
    for (let count = 1; count <= 20; count++) {
      const bytes = post("Content-Length: 3\r\n", "abc");
      await client.send(bytes.slice(0, -3));
      await client.send(bytes.slice(-3));
      expect((await client.replies(count)).at(-1)?.body).toBe("fast /post abc");
    }
  }));

test("passes a request to the app even if its body does not arrive", () =>
  withServer(createFastTransport, { serve: () => Response.text("early") }, async (server) => {
    const client = await server.connect();
    await client.send(post("Content-Length: 3\r\n", "a"));
    expect((await client.replies(1))[0]?.body).toBe("early");
    expect(server.served[0]?.buffered).toBeNull();
  }));

test("hands over a head that arrives in more chunks than the fast path scans", () =>
  withServer(createFastTransport, { serve: report }, async (server) => {
    const inPieces = async (count: number): Promise<string | undefined> => {
      const client = await server.connect();
      const bytes = get("/pieces");
      for (let piece = 0; piece < count; piece++) {
        await client.send(piece === count - 1 ? bytes.slice(piece) : (bytes[piece] ?? ""));
        await turn(4);
      }
      return (await client.replies(1))[0]?.body;
    };
    expect([await inPieces(8), await inPieces(20)]).toEqual(["fast /pieces ", "node /pieces "]);
  }));

test("hands over only after earlier replies were sent, and reads nothing until then", () => {
  let finish = (): void => {};
  const serve: Serve = (source) =>
    source.target === "/slow"
      ? new Promise((resolve) => (finish = () => resolve(Response.text("slow"))))
      : report(source);
  return withServer(createFastTransport, { serve }, async (server) => {
    const client = await server.connect();
    await client.send(get("/slow") + post("Transfer-Encoding: chunked\r\n", "1\r\na\r\n"));
    await eventually(() => server.served.length === 1, "the first request is served");
    await client.send("1\r\nb\r\n0\r\n\r\n");
    await turn(20);
    expect([server.served.length, client.received]).toEqual([1, ""]);
    finish();
    expect((await client.replies(2)).map(({ body }) => body)).toEqual(["slow", "node /post ab"]);
  });
});

test("counts a handed-over connection once, and continues its count of requests", () =>
  withServer(
    createFastTransport,
    { serve: report, limits: { maxRequestsPerConnection: 3, maxConnections: 2 } },
    async (server) => {
      const [first, second] = [await server.connect(), await server.connect()];
      await first.send(get("/1") + get("http://a/2"));
      await second.send(get("/1"));
      await Promise.all([first.replies(2), second.replies(1)]);
      expect(server.transport.connections).toBe(2);
      const third = await server.connect();
      expect(await third.untilClosed()).toBe("");
      await first.send(get("/3") + get("/4"));
      const replies = parseReplies(await first.untilClosed(), true);
      expect(replies.map(({ body, fields }) => [body, fields.get("connection")])).toEqual([
        ["fast /1 ", "keep-alive"],
        ["node /2 ", "keep-alive"],
        ["node /3 ", "close"],
      ]);
      await eventually(() => server.transport.connections === 1, "one connection remains");
    },
  ));

test("drains and cuts handed-over connections like its own", () => {
  const serve: Serve = ({ target }) => (target === "/never" ? new Promise(() => {}) : Response.text("x"));
  return withServer(createFastTransport, { serve }, async (server) => {
    const { transport, clock } = server;
    const [fast, node, idle] = [await server.connect(), await server.connect(), await server.connect()];
    await fast.send(get("/never"));
    await node.send(get("http://a/never"));
    await idle.send(get("http://a/"));
    await idle.replies(1);
    await eventually(() => transport.inFlight === 2, "two requests run");
    const closed = transport.close(5000);
    await clock.advance(1000);
    await idle.untilClosed();
    expect(transport.connections).toBe(2);
    await clock.advance(4000);
    expect(await closed).toEqual({ cut: 2 });
    await Promise.all([fast.untilClosed(), node.untilClosed()]);
    await eventually(() => transport.connections === 0 && transport.inFlight === 0, "nothing remains");
  });
});

test("drains a connection that is handed over after the drain began", () =>
  withServer(createFastTransport, { serve: report }, async (server) => {
    const client = await server.connect();
    await client.send("G");
    await eventually(() => server.transport.connections === 1, "the connection is accepted");
    const closed = server.transport.close(5000);
    await client.send(`ET http://a/late HTTP/1.1\r\n${host}\r\n`);
    const [reply] = parseReplies(await client.untilClosed(), true);
    expect([reply?.body, reply?.fields.get("connection")]).toEqual(["node /late ", "close"]);
    expect(await closed).toEqual({ cut: 0 });
  }));

/** Replies after a delay, even if the body is unavailable. */
const delayed: Serve = async (source) => {
  await turn(1);
  try {
    return await report(source);
  } catch {
    return Response.noContent();
  }
};

test("releases everything when a client resets at any byte", () =>
  withServer(createFastTransport, { serve: delayed }, async (server) => {
    const bytes =
      get("/1") +
      post("Content-Length: 3\r\n", "abc") +
      post("Transfer-Encoding: chunked\r\n", "1\r\na\r\n0\r\n\r\n");
    for (let at = 0; at <= bytes.length; at++) {
      const client = await server.connect();
      await client.send(bytes.slice(0, at));
      await turn(at % 4);
      client.socket.resetAndDestroy();
      await expectNothingLeft(server);
    }
  }));

test("releases everything when a client half-closes at any byte", () =>
  withServer(createFastTransport, { serve: delayed }, async (server) => {
    const bytes = get("/1") + post("Content-Length: 3\r\n", "abc") + get("/3", "Connection: close\r\n");
    for (let at = 0; at <= bytes.length; at++) {
      const client = await server.connect({ staysOpen: at % 2 === 0 });
      await client.send(bytes.slice(0, at));
      await turn(at % 4);
      client.end();
      await client.untilClosed();
      await expectNothingLeft(server);
    }
  }));

const expectNothingLeft = async ({ transport, logged }: TestServer): Promise<void> => {
  await eventually(() => transport.connections === 0, "the connection is gone");
  await eventually(() => transport.inFlight === 0, "no request is in progress");
  expect(logged).toEqual([]);
};

const program = `
  import { connect } from "node:net";
  import { LimitsConfig, Response, TimeoutConfig } from "@framework/core";
  import { createFastTransport } from "@framework/core/testing";
  const transport = createFastTransport({
    serve: () => Response.text("x"), reject: () => Response.text("no"), limits: LimitsConfig.of(), timeouts: TimeoutConfig.of(), log: console,
  });
  const { port } = await transport.listen({ host: "127.0.0.1", port: 0 });
  const isLoaded = () => process.moduleLoadList.includes("NativeModule _http_server");
  const exchange = (bytes) => new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1", () => socket.write(bytes));
    socket.once("data", () => resolve(socket.destroy()));
  });
  await exchange("GET / HTTP/1.1\\r\\nHost: a\\r\\n\\r\\n");
  const before = isLoaded();
  await exchange("GET / HTTP/1.0\\r\\n\\r\\n");
  console.log(JSON.stringify([before, isLoaded()]));
  await transport.close(0);
`;

test("loads node:http when the first connection is handed over, and not before", () => {
  const { stdout, stderr } = spawnSync(
    process.execPath,
    ["--conditions=@framework/source", "--input-type=module", "--eval", program],
    { env: { ...process.env, NODE_OPTIONS: "" }, cwd: import.meta.dirname, encoding: "utf8" },
  );
  expect([stdout.trim(), stderr]).toEqual(["[false,true]", ""]);
});
