import { describe, expect, test } from "@jest/globals";
import { bothTransports } from "../harness/both-transports.ts";
import { createExchangeRecorder } from "../harness/exchange-recorder.ts";
import type { RawClient } from "../harness/raw-client.ts";
import { eventually, type TestServer, turn, withServer } from "../harness/test-server.ts";

const get = (target: string): string => `GET ${target} HTTP/1.1\r\nHost: a\r\n\r\n`;
const chunked = "POST /read HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nx\r\n0\r\n\r\n";
const timeouts = { idleSecs: 75 };

/** Advances the clock by seconds, with event loop turns in between. */
const advanceSeconds = async ({ clock }: TestServer, seconds: number): Promise<void> => {
  for (let second = 0; second < seconds; second++) {
    await clock.advance(1000);
    await turn(4);
  }
};

const connectMany = (server: TestServer, count: number): Promise<RawClient[]> =>
  Promise.all(Array.from({ length: count }, () => server.connect()));

describe.each(bothTransports)("%s", (_name, make) => {
  test("keeps idle connections until the idle timeout and then closes each without a reply", () => {
    const { serve } = createExchangeRecorder();
    return withServer(make, { serve, timeouts }, async (server) => {
      const messages: readonly (readonly [text: string, replies: number, method?: string])[] = [
        ["", 0],
        [get("/now"), 1],
        [get("/now").repeat(3), 3],
        [get("/later"), 1],
        [get("/large"), 1],
        [chunked, 1],
        [get("/now") + chunked, 2],
        [chunked + get("/later"), 2],
        [get("/now").replace("GET", "HEAD"), 1, "HEAD"],
        [get("http://a/now"), 1],
      ];
      const clients = await connectMany(server, messages.length);
      await Promise.all(clients.map((client, at) => client.send(messages[at]?.[0] ?? "")));
      await eventually(() => server.transport.connections === messages.length, "all are connected");
      await eventually(() => server.served.length === 13, "all are served");
      await eventually(() => server.transport.inFlight === 0, "all are answered");
      for (const [at, [, count, method = "GET"]] of messages.entries())
        if (count > 0) await clients[at]?.replies(count, [method]);
      const received = clients.map((client) => client.received.length);
      await advanceSeconds(server, 74);
      expect(clients.map((client) => client.closed)).toEqual(messages.map(() => false));
      await advanceSeconds(server, 3);
      await Promise.all(clients.map((client) => client.untilClosed()));
      expect(clients.map((client) => client.received.length)).toEqual(received);
      expect(clients.every((client) => !client.reset)).toBe(true);
      await eventually(() => server.transport.connections === 0, "all connections are closed");
      expect(server.logged).toEqual([]);
    });
  });

  test("keeps a connection that became idle just before a check for the whole idle timeout", () => {
    const { serve } = createExchangeRecorder();
    return withServer(make, { serve, timeouts: { idleSecs: 2 } }, async (server) => {
      await server.clock.advance(900);
      const messages = [get("/now"), chunked, ""];
      const clients = await connectMany(server, messages.length);
      await Promise.all(clients.map((client, at) => client.send(messages[at] ?? "")));
      await eventually(() => server.served.length === 2, "both are served");
      for (const client of clients.slice(0, 2)) await client.replies(1);
      await eventually(() => server.transport.connections === messages.length, "all are connected");
      await advanceSeconds(server, 2); // the last check is 1.1 s after the replies
      expect(clients.map((client) => client.closed)).toEqual([false, false, false]);
      await advanceSeconds(server, 1);
      await Promise.all(clients.map((client) => client.untilClosed()));
    });
  });

  test("keeps a connection with occasional requests", () => {
    const { serve } = createExchangeRecorder();
    return withServer(make, { serve, timeouts }, async (server) => {
      const clients = await connectMany(server, 2);
      for (let count = 1; count <= 10; count++) {
        await clients[0]?.send(get("/now"));
        await clients[1]?.send(chunked);
        for (const client of clients) expect((await client.replies(count)).length).toBe(count);
        await advanceSeconds(server, 70);
      }
      expect(clients.map((client) => client.closed)).toEqual([false, false]);
    });
  });

  test("closes hundreds of idle connections while it serves an active one", () => {
    const { serve } = createExchangeRecorder();
    return withServer(make, { serve, timeouts }, async (server) => {
      const idle = await connectMany(server, 500);
      await Promise.all(idle.map((client) => client.send(get("/now"))));
      await Promise.all(idle.map((client) => client.replies(1)));
      const healthy = await server.connect();
      for (let count = 1; count <= 8; count++) {
        await healthy.send(get("/now"));
        expect((await healthy.replies(count)).length).toBe(count);
        expect(server.transport.inFlight).toBe(0);
        await advanceSeconds(server, 10);
      }
      await Promise.all(idle.map((client) => client.untilClosed()));
      await eventually(() => server.transport.connections === 1, "only the healthy one remains");
    });
  });

  test("accepts new connections again after idle ones had reached the limit", () => {
    const { serve } = createExchangeRecorder();
    return withServer(make, { serve, timeouts, limits: { maxConnections: 20 } }, async (server) => {
      for (let round = 0; round < 3; round++) {
        const idle = await connectMany(server, 20);
        await Promise.all(idle.map((client) => client.send(get("/now"))));
        await Promise.all(idle.map((client) => client.replies(1)));
        expect(await (await server.connect()).untilClosed()).toBe("");
        await advanceSeconds(server, 77);
        await Promise.all(idle.map((client) => client.untilClosed()));
        await eventually(() => server.transport.connections === 0, "the idle clients are gone");
      }
    });
  });

  test("does not treat a client as idle while its request is being answered", () => {
    const { serve } = createExchangeRecorder();
    return withServer(make, { serve, timeouts }, async (server) => {
      const [waiting, pipelining] = [await server.connect(), await server.connect()];
      await waiting.send(get("/never"));
      await pipelining.send(get("/never") + get("/now"));
      await eventually(() => server.served.length === 3, "all are served");
      await advanceSeconds(server, 200);
      expect([waiting.closed, pipelining.closed, server.transport.inFlight]).toEqual([false, false, 3]);
    });
  });
});
