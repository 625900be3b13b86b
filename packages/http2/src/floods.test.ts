import { turn, withServer } from "@framework/conformance";
import { expect, test } from "@jest/globals";
import { Http2Totals } from "./totals.ts";
import {
  ACK,
  block,
  codeOf,
  connectFrames,
  CONTINUATION,
  DATA,
  END_HEADERS,
  END_STREAM,
  frame,
  get,
  getFields,
  GOAWAY,
  HEADERS,
  number32,
  PING,
  PRIORITY,
  RST_STREAM,
  SETTINGS,
  WINDOW_UPDATE,
} from "./raw-frames.test-kit.ts";
import { withHttp2 } from "./transports.test-kit.ts";
import { expectService, flood } from "./flood.test-kit.ts";

const PROTOCOL_ERROR = 1;
const FLOW_CONTROL_ERROR = 3;
const REFUSED_STREAM = 7;
const ENHANCE_YOUR_CALM = 11;
const never = (): Promise<never> => new Promise(() => {});
const post = block([[":method", "POST"], ...getFields().slice(1)]);

test("bounds rapid resets: the connection ends, and at most twice maxConcurrentStreams handlers run (CVE-2023-44487)", () => {
  let handlers = 0;
  const serve = ({ target }: { target: string }) =>
    target === "/well" ? { status: 200, payload: "", fields: () => [] } : (handlers++, never());
  return withServer(withHttp2(), { serve }, async (server) => {
    const client = connectFrames(server.port);
    let stream = -1;
    const next = () => Buffer.concat([get((stream += 2)), frame(RST_STREAM, 0, stream, number32(8))]);
    await flood(client, server, next);
    expect(handlers).toBeLessThanOrEqual(200);
    expect(stream).toBeGreaterThan(400);
    await expectService(server);
  });
});

test("ends a connection that cancels more requests in a burst than resetBurst", () =>
  withServer(
    withHttp2(undefined, { resetBurst: 20, resetsPerSec: 1 }),
    { serve: never },
    async ({ port, served }) => {
      const client = connectFrames(port);
      let resets = 0;
      for (; !client.closed && resets < 100; resets++) {
        const stream = 2 * resets + 1;
        client.send(get(stream));
        while (served.length === resets && !client.closed) await turn(1);
        client.send(frame(RST_STREAM, 0, stream, number32(8)));
      }
      expect(resets).toBeGreaterThanOrEqual(20);
      expect(resets).toBeLessThan(100);
      client.socket.destroy();
    },
  ));

test("refuses requests while the handlers of reset ones still run", () => {
  const totals = new Http2Totals();
  const make = withHttp2(undefined, { maxConcurrentStreams: 5 }, totals);
  return withServer(make, { serve: never }, async ({ port, served }) => {
    const client = connectFrames(port);
    for (let stream = 1; stream < 20; stream += 2) {
      client.send(get(stream));
      while (served.length < (stream + 1) / 2) await turn(1);
      client.send(frame(RST_STREAM, 0, stream, number32(8)));
    }
    client.send(get(21));
    const refused = await client.until(({ type, stream }) => type === RST_STREAM && stream === 21);
    expect([codeOf(refused), served.length, totals.refusedStreams]).toEqual([REFUSED_STREAM, 10, 1]);
    client.socket.destroy();
  });
});

test("refuses more than maxConcurrentStreams, and ends the connection of a client that has acknowledged the limit", () =>
  withServer(
    withHttp2(undefined, { maxConcurrentStreams: 3 }),
    { serve: never },
    async ({ port, served }) => {
      const client = connectFrames(port);
      client.send(get(1), get(3), get(5), get(7));
      const refused = await client.until(({ type, stream }) => type === RST_STREAM && stream === 7);
      expect([codeOf(refused), served.length]).toEqual([REFUSED_STREAM, 3]);
      client.send(frame(SETTINGS, ACK, 0), get(9));
      expect(codeOf(await client.until(({ type }) => type === GOAWAY))).toBe(PROTOCOL_ERROR);
      await client.untilClosed();
    },
  ));

test("ends a connection with too many CONTINUATION frames (CVE-2024-27983)", () =>
  withServer(withHttp2(), {}, async (server) => {
    const client = connectFrames(server.port);
    client.send(frame(HEADERS, END_STREAM, 1, block(getFields())));
    const line = block([["x-name", "x".repeat(100)]]);
    await flood(client, server, () => frame(CONTINUATION, 0, 1, line));
    expect(server.served.length).toBe(0);
    await expectService(server);
  }));

const floods: Record<string, () => Buffer> = {
  PING: () => frame(PING, 0, 0, Buffer.alloc(8)),
  SETTINGS: () => frame(SETTINGS, 0, 0),
  WINDOW_UPDATE: () => frame(WINDOW_UPDATE, 0, 0, number32(1)),
  PRIORITY: () => frame(PRIORITY, 0, 1, Buffer.from([0, 0, 0, 0, 1])),
  "unknown frames": () => frame(0x77, 0, 0, Buffer.alloc(4)),
  "empty DATA": () => frame(DATA, 0, 1),
};
for (const [name, next] of Object.entries(floods)) {
  test(`ends a connection that sends only ${name}, and serves others`, () =>
    withServer(
      withHttp2(undefined, { maxOverheadBytesPerSec: 65_536 }),
      {
        serve: ({ target }) =>
          target === "/well" ? { status: 200, payload: "", fields: () => [] } : never(),
      },
      async (server) => {
        const client = connectFrames(server.port);
        client.send(frame(HEADERS, END_HEADERS, 1, post));
        await flood(client, server, next);
        await expectService(server);
      },
    ));
}

test.each([
  ["PING", frame(PING, 0, 0, Buffer.alloc(8))],
  ["SETTINGS", frame(SETTINGS, 0, 0)],
])("ends a connection at once with more %s frames than maxControlFramesPerSec", (_name, bytes) =>
  withServer(withHttp2(undefined, { maxControlFramesPerSec: 50 }), {}, async ({ port }) => {
    const client = connectFrames(port);
    client.send(...Array.from({ length: 100 }, () => bytes));
    expect(codeOf(await client.until(({ type }) => type === GOAWAY))).toBe(ENHANCE_YOUR_CALM);
    await client.untilClosed();
  }),
);

test("ends a connection at once with more than 100 empty DATA frames", () =>
  withServer(withHttp2(), { serve: never }, async ({ port }) => {
    const client = connectFrames(port);
    client.send(
      frame(HEADERS, END_HEADERS, 1, post),
      ...Array.from({ length: 150 }, () => frame(DATA, 0, 1)),
    );
    await client.untilClosed();
    expect(client.closed).toBe(true);
  }));

test("ends the connection of a client that continues after 100 refused requests, not earlier", () =>
  withServer(withHttp2(undefined, { maxConcurrentStreams: 1 }), { serve: never }, async ({ port }) => {
    const client = connectFrames(port);
    const countRefused = (): number => client.frames.filter(({ type }) => type === RST_STREAM).length;
    client.send(...Array.from({ length: 101 }, (_, at) => get(2 * at + 1)));
    while (countRefused() < 100) await turn(1);
    client.send(frame(PING, 0, 0, Buffer.alloc(8)));
    await client.until(({ type, flags }) => type === PING && flags === ACK);
    client.send(get(203), get(205), get(207));
    await client.untilClosed();
    expect(countRefused()).toBeLessThan(103);
  }));

test("accepts streamWindowBytes of an unread body, and resets a stream that sends one byte more", () =>
  withServer(
    withHttp2(undefined, { streamWindowBytes: 100_000 }),
    { serve: never },
    async ({ port, served }) => {
      const client = connectFrames(port);
      client.send(frame(SETTINGS, ACK, 0), frame(HEADERS, END_HEADERS, 1, post));
      for (let sent = 0; sent < 100_000; sent += 10_000) client.send(frame(DATA, 0, 1, Buffer.alloc(10_000)));
      client.send(frame(PING, 0, 0, Buffer.alloc(8)));
      await client.until(({ type, flags }) => type === PING && flags === ACK);
      expect([served.length, client.frames.some(({ type }) => type === RST_STREAM)]).toEqual([1, false]);
      client.send(frame(DATA, 0, 1, Buffer.alloc(1)));
      const reset = await client.until(({ type }) => type === RST_STREAM || type === GOAWAY);
      expect(codeOf(reset)).toBe(FLOW_CONTROL_ERROR);
      client.socket.destroy();
    },
  ));

test("resets a head with far more fields than the limits allow", () =>
  withServer(withHttp2(), {}, async ({ port, served }) => {
    const client = connectFrames(port);
    // The first field enters the compression table; each further byte repeats it.
    const first = Buffer.concat([
      Buffer.from([0x40, 6]),
      Buffer.from("x-name"),
      Buffer.from([100]),
      Buffer.alloc(100, 120),
    ]);
    client.send(
      frame(
        HEADERS,
        END_HEADERS | END_STREAM,
        1,
        Buffer.concat([block(getFields()), first, Buffer.alloc(15_000, 0xbe)]),
      ),
    );
    const reset = await client.until(({ type, stream }) => type === RST_STREAM && stream === 1);
    expect([codeOf(reset), served.length]).toEqual([ENHANCE_YOUR_CALM, 0]);
    client.socket.destroy();
  }));

test("resets a head whose few fields expand beyond the limits, once the client has acknowledged them", () =>
  withServer(withHttp2(), {}, async ({ port, served }) => {
    const client = connectFrames(port);
    // A field of 3500 bytes enters the compression table; each further byte repeats it.
    const first = Buffer.concat([
      Buffer.from([0x40, 6]),
      Buffer.from("x-name"),
      Buffer.from([127, 128 | ((3500 - 127) & 127), (3500 - 127) >> 7]),
      Buffer.alloc(3500, 120),
    ]);
    const fields = Buffer.concat([block(getFields()), first, Buffer.alloc(90, 0xbe)]);
    client.send(frame(SETTINGS, ACK, 0), frame(HEADERS, END_HEADERS | END_STREAM, 1, fields));
    const reset = await client.until(({ type, stream }) => type === RST_STREAM && stream === 1);
    expect([codeOf(reset), served.length]).toEqual([ENHANCE_YOUR_CALM, 0]);
    client.socket.destroy();
  }));
