import { describe, expect, test } from "@jest/globals";
import { bothTransports } from "../harness/both-transports.ts";
import { createLedger, expectNothingLeft, type Ledger } from "../harness/ledger.ts";
import { parseReplies } from "../harness/raw-client.ts";
import { eventually, type TestServer, turn, withServer } from "../harness/test-server.ts";

const get = (target: string): string => `GET ${target} HTTP/1.1\r\nHost: a\r\n\r\n`;
const post = (fields: string, body: string): string =>
  `POST /read HTTP/1.1\r\nHost: a\r\n${fields}\r\n\r\n${body}`;
const chunked = post("Transfer-Encoding: chunked", "5\r\nhello\r\n0\r\n\r\n");

const messages: Record<string, string> = {
  "a GET": get("/now"),
  "a GET that is never answered": get("/never"),
  "a POST with a length": post("Content-Length: 12", "hello, world"),
  "a POST that expects 100 Continue": post("Content-Length: 5\r\nExpect: 100-continue", "hello"),
  "a chunked POST": chunked,
  "a pipelined pair": get("/later") + get("/now"),
  "a chunked POST behind a GET": get("/now") + chunked + get("/later"),
  "a streamed reply": get("/stream"),
};

describe.each(bothTransports)("%s", (_name, make) => {
  const expectNothingLeftBy = (run: (server: TestServer, ledger: Ledger) => Promise<void>): Promise<void> => {
    const ledger = createLedger();
    return withServer(make, { serve: ledger.serve }, async (server) => {
      await run(server, ledger);
      await expectNothingLeft(server, ledger);
    });
  };

  for (const [name, bytes] of Object.entries(messages)) {
    test(`closes, and keeps nothing, when the client ends its side behind any byte of ${name}`, () =>
      expectNothingLeftBy(async (server) => {
        const endBehind = async (at: number, turns: number): Promise<void> => {
          const client = await server.connect();
          await client.send(bytes.slice(0, at));
          await turn(turns);
          client.end();
          await client.untilClosed();
        };
        const offsets = Array.from({ length: bytes.length + 1 }, (_unused, at) => at);
        await Promise.all(offsets.flatMap((at) => [endBehind(at, 0), endBehind(at, 1 + (at % 7))]));
      }));
  }

  test("gives the whole answer to a request that is answered at once, though the client has ended its side", () =>
    expectNothingLeftBy(async (server) => {
      for (const [bytes, count] of [
        [get("/now"), 1],
        [get("/now").repeat(3), 3],
      ] as const) {
        const client = await server.connect();
        client.socket.end(bytes);
        const replies = parseReplies(await client.untilClosed(), true);
        expect(replies.map(({ body, complete }) => [body, complete])).toEqual(
          Array(count).fill(["now", true]),
        );
        expect(client.reset).toBe(false);
      }
    }));

  test("gives up a request that is not answered yet, and tells its handler", () =>
    expectNothingLeftBy(async (server, ledger) => {
      for (const target of ["/never", "/later"]) {
        const client = await server.connect();
        client.socket.end(get(target));
        expect(await client.untilClosed()).toBe("");
      }
      await eventually(() => ledger.ends.length === 2, "both have ended");
      expect(ledger.ends.map(({ end }) => end)).toEqual(["aborted", "aborted"]);
    }));

  test("says nothing to a client that ends its side within a head, and serves nothing", () =>
    expectNothingLeftBy(async (server, ledger) => {
      for (const at of [1, 5, 14, 20, get("/now").length - 1]) {
        const client = await server.connect();
        client.socket.end(get("/now").slice(0, at));
        expect(await client.untilClosed()).toBe("");
      }
      expect(ledger.begun).toBe(0);
    }));

  test("fails the reader of a body whose client ends its side within it", () =>
    expectNothingLeftBy(async (server, ledger) => {
      for (const bytes of [post("Content-Length: 10", "01234"), chunked.slice(0, -3)]) {
        const before = ledger.begun;
        const client = await server.connect();
        await client.send(bytes);
        await eventually(() => ledger.begun > before, "it is served");
        client.end();
        await client.untilClosed();
      }
      await eventually(() => ledger.ends.length === 2, "both have ended");
      expect(ledger.readErrors).toEqual(["CORE_CLIENT_GONE", "CORE_CLIENT_GONE"]);
      expect(ledger.ends.map(({ end }) => end)).toEqual(["aborted", "aborted"]);
    }));

  test("cancels a stream whose client ends its side, and never lets it pass for whole", () =>
    expectNothingLeftBy(async (server, ledger) => {
      const client = await server.connect();
      await client.send(get("/stream"));
      await client.until((received) => received.length > 400);
      client.end();
      const [reply] = parseReplies(await client.untilClosed(), true);
      expect([reply?.status, reply?.complete]).toEqual([200, false]);
      await eventually(() => ledger.ends.length === 1, "it has ended");
      expect(ledger.ends[0]?.end).toBe("aborted");
    }));

  test("cuts a client that ends its side and then reads nothing of a long reply, when a write stood still for too long", () => {
    const ledger = createLedger();
    const timeouts = { writeSecs: 10, idleSecs: 75 };
    return withServer(make, { serve: ledger.serve, timeouts }, async (server) => {
      for (const target of ["/flood", "/large"]) {
        const client = await server.connect({ stays: true });
        client.socket.pause();
        await client.send(get(target));
        await eventually(() => server.transport.inFlight === 1, "it is served");
        await turn(100);
        client.end();
        await turn(100);
        let seconds = 0;
        for (; seconds < 70 && server.transport.connections > 0; seconds++) {
          await server.clock.advance(1000);
          await turn(10);
        }
        expect({ target, seconds: Math.max(seconds, 12) }).toEqual({ target, seconds: 12 });
      }
      await expectNothingLeft(server, ledger);
    });
  });

  test("closes at once when the client ends its side of an idle connection", () =>
    expectNothingLeftBy(async (server) => {
      const [unused, used] = [await server.connect(), await server.connect()];
      await used.send(get("/now"));
      await used.replies(1);
      for (const client of [unused, used]) {
        client.end();
        await client.untilClosed();
      }
    }));

  test("waits no longer than two sweeps for a client that never ends its side", () =>
    expectNothingLeftBy(async (server) => {
      const client = await server.connect({ stays: true });
      await client.send(get("/now").replace("\r\n\r\n", "\r\nConnection: close\r\n\r\n"));
      await client.untilClosed();
      await turn(10);
      expect(server.transport.connections).toBe(1);
      await server.clock.advance(4000);
      await eventually(() => server.transport.connections === 0, "the connection is cut");
    }));
});
