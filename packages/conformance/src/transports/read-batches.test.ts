import { AsyncLocalStorage } from "node:async_hooks";
import { describe, expect, test } from "@jest/globals";
import { Response } from "@framework/core";
import type { Serve } from "@framework/core/testing";
import { bothTransports } from "../harness/both-transports.ts";
import { inBatches } from "../harness/in-batches.ts";
import { eventually, type TestServer, turn, withServer } from "../harness/test-server.ts";
import { transportConformance } from "../suite/transport-conformance.ts";

const get = (target: string): string => `GET ${target} HTTP/1.1\r\nHost: a\r\n\r\n`;

const head = (target: string): string => `POST ${target} HTTP/1.1\r\nHost: a\r\nContent-Length: 4\r\n\r\n`;
const post = (target: string): string => `${head(target)}body`;

type Message = (target: string) => string;

/** Sends a request on each of several connections in one event loop turn, and waits for all replies. @param request its parts, sent in one turn each */
const sendInOneTurn = async (
  server: TestServer,
  count: number,
  request: Message | readonly Message[] = get,
): Promise<void> => {
  const { transport } = server;
  const accepted = transport.accepted + count;
  const clients = await Promise.all(Array.from({ length: count }, () => server.connect()));
  await eventually(() => transport.accepted === accepted, "all are accepted");
  for (const part of [request].flat()) {
    for (const [index, client] of clients.entries()) client.socket.write(part(`/${index}`));
    await turn();
  }
  await Promise.all(clients.map((client) => client.until((text) => text.includes("\r\n\r\nhello"))));
  for (const client of clients) client.destroy();
};

describe.each(bothTransports)("%s, in batches", (_name, transport) => {
  const make = inBatches(transport);

  transportConformance(test, make);

  test.each([
    ["immediately", () => Response.text("hello")],
    ["later", () => Promise.resolve(Response.text("hello"))],
  ] as const)("handles the requests of a turn before it sends a reply that is ready %s", (_when, reply) => {
    const log: string[] = [];
    const serve: Serve = (source) => {
      log.push("handled");
      source.onEnd((end) => void log.push(end));
      return reply();
    };
    return withServer(make, { serve }, async (server) => {
      await sendInOneTurn(server, 8);
      expect(log).toEqual([...Array<string>(8).fill("handled"), ...Array<string>(8).fill("sent")]);
    });
  });

  test.each([
    ["GET, answered immediately", get, () => Response.text("hello")],
    ["GET, answered later", get, () => Promise.resolve(Response.text("hello"))],
    ["POST", post, () => Response.text("hello")],
    ["POST, head and body in separate turns", [head, () => "body"], () => Response.text("hello")],
  ] as const)("replies to each of 100 requests of a turn: %s", (_kind, request, serve) =>
    withServer(make, { serve }, async (server) => {
      await sendInOneTurn(server, 100, request);
      expect(server.served).toHaveLength(100);
    }),
  );

  test("isolates the AsyncLocalStorage of a handler from the next request", () => {
    const user = new AsyncLocalStorage<string>();
    const seen: (string | undefined)[] = [];
    const serve: Serve = (source) => {
      seen.push(user.getStore());
      user.enterWith(source.target);
      return Response.text("hello");
    };
    return withServer(make, { serve }, async (server) => {
      await sendInOneTurn(server, 8);
      expect(seen).toEqual(Array(8).fill(undefined));
    });
  });

  test("replies to a client that half-closes with the request", () =>
    withServer(make, {}, async (server) => {
      const client = await server.connect();
      client.socket.end(get("/"));
      expect(await client.untilClosed()).toMatch(/^HTTP\/1\.1 200 [^]*hello$/);
    }));
});

test.each(bothTransports)(
  "%s starts to serve in batches when turns are busy, and stops when they are not",
  (_name, make) => {
    const log: string[] = [];
    const serve: Serve = (source) => {
      log.push("handled");
      source.onEnd((end) => void log.push(end));
      return Response.text("hello");
    };
    return withServer(make, { serve }, async (server) => {
      await sendInOneTurn(server, 4);
      expect(log.slice(0, 2)).toEqual(["handled", "sent"]);
      for (let round = 0; round < 10; round++) await sendInOneTurn(server, 16);
      log.length = 0;
      await sendInOneTurn(server, 4);
      expect(log.slice(0, 4)).toEqual(Array(4).fill("handled"));
      for (let round = 0; round < 16; round++) await sendInOneTurn(server, 1);
      log.length = 0;
      await sendInOneTurn(server, 2);
      expect(log).toEqual(["handled", "sent", "handled", "sent"]);
    });
  },
);
