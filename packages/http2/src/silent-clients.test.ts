import { eventually, turn, withServer } from "@framework/conformance";
import { expect, test } from "@jest/globals";
import { Http2Totals } from "./totals.ts";
import {
  ACK,
  codeOf,
  connectFrames,
  DATA,
  frame,
  get,
  HEADERS,
  PING,
  preface,
  RST_STREAM,
} from "./raw-frames.test-kit.ts";
import { withHttp2 } from "./transports.test-kit.ts";

const INTERNAL_ERROR = 2;

const never = (): Promise<never> => new Promise(() => {});

// oxlint-disable-next-line jest/expect-expect -- asserts in the callback of `withServer`, which the rule does not see in a table
test.each([
  ["no byte", null],
  ["part of the preface", "PRI * HTTP/2.0\r\n"],
  ["only the preface", preface.slice(0, 24)],
])("closes the connection of a client that has sent %s, after its timeout", (_name, first) =>
  withServer(
    withHttp2(),
    { timeouts: { readHeaderSecs: 5, idleSecs: 20 } },
    async ({ port, transport, clock }) => {
      const client = connectFrames(port, null);
      if (first !== null) client.send(first);
      await eventually(() => transport.connections === 1, "the connection is accepted");
      await turn(20);
      await clock.advance(first === null ? 22_000 : 8000);
      await client.untilClosed();
    },
  ),
);

test("sends a PING to a silent client with an open request, and closes the connection if no ACK arrives", () => {
  const totals = new Http2Totals();
  return withServer(
    withHttp2(undefined, { pingSecs: 10, pingTimeoutSecs: 5 }, totals),
    { serve: never },
    async ({ port, clock, served }) => {
      const client = connectFrames(port);
      client.send(get(1));
      while (served.length === 0) await turn(1);
      await turn(10);
      await clock.advance(12_000);
      const ping = await client.until(({ type, flags }) => type === PING && flags === 0);
      client.send(frame(PING, ACK, 0, ping.payload));
      await client.untilRead();
      await clock.advance(12_000);
      expect(client.closed).toBe(false);
      await clock.advance(8000);
      await client.untilClosed();
      expect(totals.metrics()[3]?.read()).toContainEqual({ value: 1, labels: { reason: "silent" } });
    },
  );
});

test("waits pingTimeoutSecs from the PING, which is sent up to a second after pingSecs", () =>
  withServer(
    withHttp2(undefined, { pingSecs: 10.1, pingTimeoutSecs: 5.05 }),
    { serve: never },
    async ({ port, clock, served }) => {
      const client = connectFrames(port);
      client.send(get(1));
      while (served.length === 0) await turn(1);
      await turn(10);
      await clock.advance(12_500);
      await client.until(({ type, flags }) => type === PING && flags === 0);
      await clock.advance(5000);
      await turn(10);
      expect(client.closed).toBe(false);
      await clock.advance(1000);
      await client.untilClosed();
    },
  ));

test("resets a stream whose window stays closed, and serves the next request", () =>
  withServer(
    withHttp2(),
    {
      serve: ({ target }) => ({
        status: 200,
        payload: target === "/long" ? "x".repeat(1_000_000) : "",
        fields: () => [],
      }),
      timeouts: { writeSecs: 5 },
    },
    async ({ port, clock }) => {
      const client = connectFrames(port);
      client.send(get(1, "/long"));
      await client.until(({ type, stream }) => type === DATA && stream === 1);
      for (let second = 0; second < 8; second++) {
        await client.untilRead();
        await clock.advance(1000);
      }
      expect(codeOf(await client.until(({ type, stream }) => type === RST_STREAM && stream === 1))).toBe(
        INTERNAL_ERROR,
      );
      client.send(get(3));
      await client.until(({ type, stream }) => type === HEADERS && stream === 3);
      client.socket.destroy();
    },
  ));
