import type { LimitsConfig } from "@framework/core";
import { describe, expect, test } from "@jest/globals";
import { bothTransportsAndTls } from "../harness/both-transports.ts";
import {
  createExchangeRecorder,
  expectNothingLeft,
  type ExchangeRecorder,
} from "../harness/exchange-recorder.ts";
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
  "a chunked POST after a GET": get("/now") + chunked + get("/later"),
  "a streamed reply": get("/pieces"),
  "a pipelined pair, the first with an Upgrade field":
    get("/now").replace("\r\n\r\n", "\r\nUpgrade: h2c\r\n\r\n") + get("/later"),
};

describe.each(bothTransportsAndTls)("%s", (_name, make) => {
  const expectNothingLeftAfter = (
    run: (server: TestServer, recorder: ExchangeRecorder) => Promise<void>,
    limits: Partial<LimitsConfig> = {},
  ): Promise<void> => {
    const recorder = createExchangeRecorder();
    return withServer(make, { serve: recorder.serve, limits }, async (server) => {
      await run(server, recorder);
      await expectNothingLeft(server, recorder);
    });
  };

  for (const [name, bytes] of Object.entries(messages)) {
    test(`closes and releases everything when the client half-closes after any byte of ${name}`, () =>
      expectNothingLeftAfter(async (server) => {
        const endAfter = async (at: number, turns: number): Promise<void> => {
          const client = await server.connect();
          await client.send(bytes.slice(0, at));
          await turn(turns);
          client.end();
          await client.untilClosed();
        };
        const offsets = Array.from({ length: bytes.length + 1 }, (_unused, at) => at);
        // Half-closes immediately at every other offset and some turns later at the rest; over TLS the other way round.
        const early = make.ca === undefined ? 0 : 1;
        await Promise.all(offsets.map((at) => endAfter(at, at % 2 === early ? 0 : 1 + (at % 7))));
      }));
  }

  test("sends the complete reply to a request that is answered immediately, even after a half-close", () =>
    expectNothingLeftAfter(async (server) => {
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

  test("sends a long reply and a stream completely after a half-close, and the replies before them", () =>
    expectNothingLeftAfter(async (server) => {
      const long = 5_000_000;
      for (const [bytes, lengths] of [
        [get("/long"), [long]],
        [get("/long").replace("GET", "PROPFIND"), [long]],
        [get("/now") + get("/long"), [3, long]],
        [get("/long") + get("/long") + get("/now"), [long, long, 3]],
        [get("/pieces"), [320]],
        [get("/page") + get("/pieces") + get("/now"), [50_000, 320, 3]],
      ] as const) {
        for (const delay of [0, 1, 5]) {
          const client = await server.connect();
          await client.send(bytes);
          await turn(delay);
          client.end();
          const replies = parseReplies(await client.untilClosed(), true);
          expect(replies.map(({ body, complete }) => [body.length, complete])).toEqual(
            lengths.map((length) => [length, true]),
          );
          expect(client.reset).toBe(false);
        }
      }
    }));

  test("sends the replies before the first unanswered request after a half-close, and none after it", () =>
    expectNothingLeftAfter(async (server, recorder) => {
      const client = await server.connect();
      client.socket.end(get("/long") + get("/never") + get("/long"));
      const replies = parseReplies(await client.untilClosed(), true);
      expect(replies.map(({ body, complete }) => [body.length, complete])).toEqual([[5_000_000, true]]);
      await eventually(() => recorder.ends.length === recorder.begun, "all have ended");
      expect(recorder.ends.filter(({ end }) => end === "sent").map(({ target }) => target)).toEqual([
        "/long",
      ]);
    }));

  test("aborts an unanswered request after a half-close and notifies its handler", () =>
    expectNothingLeftAfter(async (server, recorder) => {
      for (const target of ["/never", "/later"]) {
        const client = await server.connect();
        client.socket.end(get(target));
        expect(await client.untilClosed()).toBe("");
      }
      await eventually(() => recorder.ends.length === 2, "both have ended");
      expect(recorder.ends.map(({ end }) => end)).toEqual(["aborted", "aborted"]);
    }));

  test("sends no reply to a client that half-closes within a head, and serves nothing", () =>
    expectNothingLeftAfter(async (server, recorder) => {
      for (const at of [1, 5, 14, 20, get("/now").length - 1]) {
        const client = await server.connect();
        client.socket.end(get("/now").slice(0, at));
        expect(await client.untilClosed()).toBe("");
      }
      expect(recorder.begun).toBe(0);
    }));

  test("fails the reader of a body after a half-close within the body", () =>
    expectNothingLeftAfter(async (server, recorder) => {
      for (const bytes of [post("Content-Length: 10", "01234"), chunked.slice(0, -3)]) {
        const before = recorder.begun;
        const client = await server.connect();
        await client.send(bytes);
        await eventually(() => recorder.begun > before, "it is served");
        client.end();
        await client.untilClosed();
      }
      await eventually(() => recorder.ends.length === 2, "both have ended");
      expect(recorder.readErrors).toEqual(["CORE_CLIENT_DISCONNECTED", "CORE_CLIENT_DISCONNECTED"]);
      expect(recorder.ends.map(({ end }) => end)).toEqual(["aborted", "aborted"]);
    }));

  test("cancels a stream that is silent for 2 s after a half-close, and never ends it as complete", () =>
    expectNothingLeftAfter(async (server, recorder) => {
      const client = await server.connect();
      await client.send(get("/silent"));
      await client.until((received) => received.includes("xxx"));
      client.end();
      await turn(10);
      await server.clock.advance(1000);
      await turn(10);
      expect(client.closed).toBe(false);
      await server.clock.advance(2000);
      const [reply] = parseReplies(await client.untilClosed(), true);
      expect([reply?.status, reply?.complete]).toEqual([200, false]);
      await eventually(() => recorder.ends.length === 1, "it has ended");
      expect(recorder.ends[0]?.end).toBe("aborted");
    }));

  test("cancels an endless stream when a client that has half-closed is gone", () =>
    expectNothingLeftAfter(async (server, recorder) => {
      const client = await server.connect();
      await client.send(get("/stream"));
      await client.until((received) => received.length > 400);
      client.end();
      const { length } = client.received;
      await client.until((received) => received.length > length + 400);
      client.destroy();
      await eventually(() => recorder.ends.length === 1, "it has ended");
      expect(recorder.ends[0]?.end).toBe("aborted");
    }));

  test("cuts a half-closed client that does not read a long reply, at the write timeout", () => {
    const recorder = createExchangeRecorder();
    const timeouts = { writeSecs: 10, idleSecs: 75 };
    return withServer(make, { serve: recorder.serve, timeouts }, async (server) => {
      for (const target of ["/flood", "/large"]) {
        const client = await server.connect({ staysOpen: true });
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
        expect([10, 11, 12].map((secs) => `${target} ${secs}`)).toContain(`${target} ${seconds}`);
      }
      await expectNothingLeft(server, recorder);
    });
  });

  test("closes an idle connection immediately after a half-close", () =>
    expectNothingLeftAfter(async (server) => {
      const [unused, used] = [await server.connect(), await server.connect()];
      await used.send(get("/now"));
      await used.replies(1);
      for (const client of [unused, used]) {
        client.end();
        await client.untilClosed();
      }
    }));

  test("waits at most two sweeps for a client that never half-closes", () =>
    expectNothingLeftAfter(
      async (server) => {
        const client = await server.connect({ staysOpen: true });
        await client.send(get("/now"));
        await client.untilClosed();
        await turn(10);
        expect(server.transport.connections).toBe(1);
        await server.clock.advance(4000);
        await eventually(() => server.transport.connections === 0, "the connection is cut");
      },
      { maxRequestsPerConnection: 1 },
    ));
});
