import { describe, expect, test } from "@jest/globals";
import { HttpError, Response } from "@framework/core";
import { readBody, type Serve } from "@framework/core/testing";
import { bothTransports } from "../harness/both-transports.ts";
import { isInstalled, type ForwardedRequest, proxies, type Proxy, startProxy } from "./proxies.ts";
import { connectRaw, type RawClient, type RawReply } from "../harness/raw-client.ts";
import { wireTables } from "../rfc9112/suite.ts";
import type { WireRow } from "../rfc9112/wire-row.ts";
import { type TestServer, turn, withServer } from "../harness/test-server.ts";

const big = "x".repeat(300_000);

/** Reads every body and replies with the request, except for special targets. */
const serve: Serve = async (source) => {
  const { method, target } = source;
  if (target.startsWith("/early")) return Response.text("too large", { status: 413 });
  if (target.startsWith("/stream")) return Response.stream(["one ", "two ", big]);
  if (target.startsWith("/304")) return new Response(null, { status: 304, headers: { etag: '"a"' } });
  try {
    const body = await readBody(source, 10_000_000);
    return Response.json(
      { method, target, length: body.length, sum: sum(body) },
      { headers: { "X-App": "1" } },
    );
  } catch (error) {
    return Response.text("broken", {
      status: HttpError.is(error) ? error.status : 500,
      headers: { "X-App": "1" },
    });
  }
};

const sum = (bytes: Uint8Array): number => bytes.reduce((total, byte) => (total * 31 + byte) % 1_000_003, 7);

const countBy = <Item>(items: readonly Item[], key: (item: Item) => string): Map<string, number> => {
  const counts = new Map<string, number>();
  for (const item of items) counts.set(key(item), (counts.get(key(item)) ?? 0) + 1);
  return counts;
};
const requestKey = ({ method, target }: Pick<ForwardedRequest, "method" | "target">): string =>
  `${method} ${target}`;

/** Returns the violations of this rule: the app sees only requests that the proxy sent, and each of them is seen or refused exactly once. */
const disagreements = (
  served: readonly Pick<ForwardedRequest, "method" | "target">[],
  forwarded: readonly ForwardedRequest[],
): string[] => {
  const [seen, sent] = [countBy(served, requestKey), countBy(forwarded, requestKey)];
  const unanswered = countBy(
    forwarded.filter(({ byApp }) => !byApp),
    requestKey,
  );
  return [...new Set([...seen.keys(), ...sent.keys()])].flatMap((key) => {
    const [sentCount, seenCount, refusedCount] = [
      sent.get(key) ?? 0,
      seen.get(key) ?? 0,
      unanswered.get(key) ?? 0,
    ];
    return seenCount <= sentCount && sentCount - seenCount <= refusedCount
      ? []
      : [`${key}: sent ${sentCount}, seen ${seenCount}, ${refusedCount} not answered by the app`];
  });
};

const expectAgreement = async (server: TestServer, proxy: Proxy): Promise<void> => {
  let violations: string[] = [];
  const end = performance.now() + 60_000;
  do {
    violations = disagreements(server.served, await proxy.forwarded());
    await turn(20);
  } while (violations.length > 0 && performance.now() < end); // a proxy writes its log at any time
  expect(violations).toEqual([]);
};

for (const [name, program] of proxies) {
  const block = isInstalled(name) ? describe : describe.skip;
  if (block === describe.skip) console.log(`skipped: ${name} is not installed`);
  block.each(bothTransports)(`${name} before %s`, (_, make) => {
    const withProxy =
      (run: (proxy: Proxy, server: TestServer, connect: () => Promise<RawClient>) => Promise<void>) => () =>
        withServer(make, { serve }, async (server) => {
          const proxy = await startProxy(program, server.port);
          const clients: RawClient[] = [];
          const connect = async (): Promise<RawClient> => {
            const client = await connectRaw(proxy.port);
            clients.push(client);
            return client;
          };
          try {
            await run(proxy, server, connect);
          } finally {
            for (const client of clients) client.destroy();
            await proxy.stop();
          }
        });

    test.each(wireTables)(
      "$title: the server sees the requests that the proxy forwards, and no client receives the reply to another request",
      ({ rows }) =>
        withProxy(async (proxy, server, connect) => {
          const queue = [...rows.entries()];
          const work = async (): Promise<void> => {
            for (let next = queue.pop(); next !== undefined; next = queue.pop())
              await sendRow(await connect(), ...next);
          };
          await Promise.all(Array.from({ length: 8 }, work));
          await expectAgreement(server, proxy);
        })(),
    );

    test(
      "reuses its connections, and the server keeps them open",
      withProxy(async (proxy, server, connect) => {
        const client = await connect();
        let maxConnections = 0;
        for (let count = 1; count <= 50; count++) {
          await client.send(get(`/${count}`));
          expect((await lastReply(client, count)).body).toContain(`"target":"/${count}"`);
          maxConnections = Math.max(maxConnections, server.transport.connections);
        }
        expect([server.transport.connections, maxConnections]).toEqual([1, 1]);
        await expectAgreement(server, proxy);
      }),
    );

    test(
      "forwards chunked bodies completely in both directions, and the next request after them",
      withProxy(async (_proxy, _server, connect) => {
        const client = await connect();
        const pieces = [1, 16, 5000, 200_000, 3].map((length) => "y".repeat(length));
        await client.send("POST /up HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n");
        for (const piece of pieces) await client.send(`${piece.length.toString(16)}\r\n${piece}\r\n`);
        await client.send("0\r\n\r\n");
        expect(JSON.parse((await lastReply(client, 1)).body)).toMatchObject({
          length: pieces.join("").length,
          sum: sum(Buffer.from(pieces.join(""))),
        });
        await client.send(get("/stream"));
        expect((await lastReply(client, 2)).body === `one two ${big}`).toBe(true);
        await client.send(get("/after"));
        expect((await lastReply(client, 3)).status).toBe(200);
      }),
    );

    test(
      "treats no byte of the next reply as the body of HEAD or 304",
      withProxy(async (_proxy, server, connect) => {
        const client = await connect();
        const methods = ["HEAD", "GET", "HEAD", "GET", "GET"];
        const targets = ["/head", "/304", "/stream", "/304", "/after"];
        for (const [at, method] of methods.entries()) {
          await client.send(get(targets[at] ?? "").replace("GET", method));
          await client.replies(at + 1, methods);
        }
        const replies = await client.replies(5, methods);
        expect(replies.map(({ status, body }) => [status, body.length > 0])).toEqual([
          [200, false],
          [304, false],
          [200, false],
          [304, false],
          [200, true],
        ]);
        expect(replies[4]?.body).toContain('"target":"/after"');
        expect(server.served.map(({ target }) => target)).toEqual(targets);
      }),
    );

    test(
      "forwards 100 Continue to a waiting client, and one reply after it",
      withProxy(async (proxy, server, connect) => {
        const client = await connect();
        for (let count = 1; count <= 3; count++) {
          await client.send(
            "POST /e HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\nExpect: 100-continue\r\n\r\n",
          );
          await client.until((received) => received.split(" 100 Continue").length === count + 1);
          await client.send("hello");
          expect((await lastReply(client, 2 * count)).body).toContain('"length":5');
        }
        await expectAgreement(server, proxy);
      }),
    );

    test(
      "forwards an early 413 to a client that still sends, and serves the next client",
      withProxy(async (_proxy, server, connect) => {
        for (let round = 0; round < 5; round++) {
          const client = await connect();
          await client.send(`POST /early HTTP/1.1\r\nHost: a\r\nContent-Length: ${20 * big.length}\r\n\r\n`);
          for (let sent = 0; sent < 20 && !client.closed; sent++) void client.send(big);
          await client.until((received) => received.includes("too large"));
          expect(client.received).toMatch(/^HTTP\/1\.1 413 /);
          const next = await connect();
          await next.send(get("/after"));
          expect((await lastReply(next, 1)).body).toContain('"target":"/after"');
          client.destroy();
        }
        expect(server.served.map(({ target }) => target)).toEqual(Array(5).fill(["/early", "/after"]).flat());
      }),
    );
  });
}

test("an unknown request, a lost request and a request that is served twice are disagreements", () => {
  const request = { method: "GET", target: "/a", byApp: true };
  expect(disagreements([request], [request])).toEqual([]);
  expect(disagreements([], [{ ...request, byApp: false }])).toEqual([]);
  expect(disagreements([request, { method: "GET", target: "/hidden" }], [request])).toHaveLength(1);
  expect(disagreements([request, request], [request])).toHaveLength(1);
  expect(disagreements([], [request])).toHaveLength(1);
});

const get = (target: string): string => `GET ${target} HTTP/1.1\r\nHost: a\r\n\r\n`;

const lastReply = async (client: RawClient, count: number): Promise<RawReply> => {
  const reply = (await client.replies(count)).at(-1);
  if (reply === undefined) throw new Error("no reply");
  return reply;
};

/** Sends a row and then a request with a unique target, so that a reply to another request is detected. */
const sendRow = async (client: RawClient, index: number, { name, bytes }: WireRow): Promise<void> => {
  await client.send(`${bytes}GET /next?row=${index} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`);
  const end = performance.now() + 1500;
  while (!client.closed && performance.now() < end)
    await new Promise((resolve) => void setTimeout(resolve, 2));
  const others = [...client.received.matchAll(/row=(\d+)/g)]
    .map(([, row]) => row)
    .filter((row) => row !== String(index));
  expect([name, others]).toEqual([name, []]);
  client.destroy();
};
