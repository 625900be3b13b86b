import { eventually, withServer } from "@framework/conformance";
import { LimitsConfig, Response } from "@framework/core";
import { readBody, type Serve } from "@framework/core/testing";
import { expect, test } from "@jest/globals";
import { Http2Config } from "./http2-config.ts";
import { sessionOptions } from "./protocol.ts";
import {
  ACK,
  block,
  codeOf,
  connectFrames,
  DATA,
  END_HEADERS,
  END_STREAM,
  frame,
  type FrameClient,
  get,
  getFields,
  GOAWAY,
  HEADERS,
  number32,
  PING,
  RST_STREAM,
  SETTINGS,
  WINDOW_UPDATE,
} from "./raw-frames.test-kit.ts";
import { withHttp2 } from "./transports.test-kit.ts";
import { expectService, flood } from "./flood.test-kit.ts";

const ENHANCE_YOUR_CALM = 11;

const never = (): Promise<never> => new Promise(() => {});

const rejecting: Serve = ({ target }) => Response.text("no", { status: target === "/well" ? 200 : 401 });

const withLowLimit = withHttp2(undefined, { maxOverheadBytesPerSec: 65_536 });
const upload = (stream: number, ...fields: [string, string][]): Buffer =>
  frame(HEADERS, END_HEADERS, stream, block([[":method", "POST"], ...getFields().slice(1), ...fields]));
/** A part of a body; four of them are less than `connectionWindowBytes`. */
const part = (stream: number): Buffer =>
  Buffer.concat(Array.from({ length: 20 }, () => frame(DATA, 0, stream, Buffer.alloc(10_000))));

test("counts unread bodies as bodies, not as overhead", () => {
  const begin = Promise.withResolvers<void>();
  const serve: Serve = async (source) => {
    await begin.promise;
    return Response.text(String((await readBody(source, 1e9)).byteLength));
  };
  return withServer(withLowLimit, { serve }, async ({ port, clock }) => {
    const client = connectFrames(port);
    client.send(frame(SETTINGS, ACK, 0));
    for (const stream of [1, 3, 5, 7]) client.send(upload(stream), part(stream));
    await client.untilRead();
    await clock.advance(2000);
    begin.resolve();
    for (const stream of [1, 3, 5, 7]) {
      client.send(frame(DATA, END_STREAM, stream));
      const reply = await client.until(({ type, stream: own }) => type === DATA && own === stream);
      expect(reply.payload.toString()).toBe("200000");
    }
    client.socket.destroy();
  });
});

/** Sends parts of bodies for streams that the server has closed. */
const sendToClosed = async (
  client: FrameClient,
  first: number,
  fields: [string, string][] = [],
): Promise<void> => {
  for (const stream of [first, first + 2, first + 4, first + 6]) {
    client.send(upload(stream, ...fields));
    await client.until(({ type, stream: own }) => type === RST_STREAM && own === stream);
    client.send(part(stream));
  }
  await client.untilRead();
};

test.each([
  ["from its handler", []],
  ["for its malformed head", [["host", "b"]]],
] as [string, [string, string][]][])(
  "counts bytes in transit as a body after a reply to an unread request %s",
  (_why, fields) =>
    withServer(withLowLimit, { serve: rejecting }, async ({ port, clock }) => {
      const client = connectFrames(port);
      client.send(frame(SETTINGS, ACK, 0));
      await sendToClosed(client, 1, fields);
      await clock.advance(2000);
      client.send(get(9));
      expect((await client.until(({ type, stream }) => type === GOAWAY || stream === 9)).type).toBe(HEADERS);
      client.socket.destroy();
    }),
);

test("counts bytes in transit for a refused stream as a body", () => {
  const make = withHttp2(undefined, { maxOverheadBytesPerSec: 65_536, maxConcurrentStreams: 1 });
  return withServer(make, { serve: never }, async ({ port, clock, served }) => {
    const client = connectFrames(port);
    client.send(frame(SETTINGS, ACK, 0));
    for (const stream of [1, 3]) {
      client.send(get(stream));
      await eventually(() => served.length === (stream + 1) / 2, "it is served");
      client.send(frame(RST_STREAM, 0, stream, number32(8)));
    }
    await sendToClosed(client, 5);
    await clock.advance(2000);
    client.send(get(13));
    expect((await client.until(({ type, stream }) => type === GOAWAY || stream === 13)).type).toBe(
      RST_STREAM,
    );
    client.socket.destroy();
  });
});

test("ends a connection that sends more than the content-length for a closed stream", () =>
  withServer(withLowLimit, { serve: rejecting }, async ({ port, clock }) => {
    const client = connectFrames(port);
    client.send(frame(SETTINGS, ACK, 0), upload(1, ["content-length", "10"]));
    await client.until(({ type, stream }) => type === RST_STREAM && stream === 1);
    client.send(part(1));
    await client.untilRead();
    await clock.advance(2000);
    expect(codeOf(await client.until(({ type }) => type === GOAWAY))).toBe(ENHANCE_YOUR_CALM);
    await client.untilClosed();
  }));

test("ends a connection with more overhead than its closed streams account for", () =>
  withServer(withLowLimit, { serve: rejecting }, async (server) => {
    const client = connectFrames(server.port);
    client.send(frame(SETTINGS, ACK, 0));
    for (let stream = 1; stream < 100; stream += 2) client.send(upload(stream));
    await client.until(({ type, stream }) => type === RST_STREAM && stream === 99);
    await server.clock.advance(2000);
    const sent = await flood(client, server, () => frame(WINDOW_UPDATE, 0, 0, number32(1)));
    expect(sent).toBeGreaterThan(65_536);
    await expectService(server);
  }));

test("sets each limit that node:http2 enforces, independently of its defaults", () => {
  const limits = LimitsConfig.of({ maxHeaderFields: 10 });
  const config = Http2Config.of({ resetBurst: 7, resetsPerSec: 5, maxConcurrentStreams: 3 });
  expect(sessionOptions(config, limits)).toMatchObject({
    maxHeaderListPairs: 228,
    maxSessionInvalidFrames: 100,
    maxSessionRejectedStreams: 100,
    maxOutstandingPings: 2,
    streamResetBurst: 7,
    streamResetRate: 5,
    settings: { enablePush: false, maxConcurrentStreams: 3, initialWindowSize: 262_144 },
  });
});

test("allows pings and window updates at an ordinary rate", () =>
  withServer(withHttp2(), {}, async ({ port, clock }) => {
    const client = connectFrames(port);
    for (let second = 0; second < 5; second++) {
      for (let count = 0; count < 100; count++)
        client.send(frame(PING, 0, 0, Buffer.alloc(8)), frame(WINDOW_UPDATE, 0, 0, number32(1)));
      await client.untilRead();
      await clock.advance(1000);
    }
    client.send(get(1));
    expect((await client.until(({ type }) => type === HEADERS)).stream).toBe(1);
    client.socket.destroy();
  }));
