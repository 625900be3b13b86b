import { eventually, overHttp2, type TestServer, turn, withServer } from "@framework/conformance";
import { LimitsConfig, Response } from "@framework/core";
import { readBody, type Serve } from "@framework/core/testing";
import { expect, test } from "@jest/globals";
import { Http2Config } from "./http2-config.ts";
import { sessionOptions } from "./protocol.ts";
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
  type FrameClient,
  get,
  getFields,
  GOAWAY,
  HEADERS,
  number32,
  PING,
  preface,
  PRIORITY,
  RST_STREAM,
  SETTINGS,
  WINDOW_UPDATE,
} from "./raw-frames.test-kit.ts";
import { withHttp2 } from "./transports.test-kit.ts";

const PROTOCOL_ERROR = 1;
const INTERNAL_ERROR = 2;
const FLOW_CONTROL_ERROR = 3;
const REFUSED_STREAM = 7;
const ENHANCE_YOUR_CALM = 11;
const never = (): Promise<never> => new Promise(() => {});
const post = block([[":method", "POST"], ...getFields().slice(1)]);

/** Repeats bytes until the server closes the connection. @returns the bytes that were sent */
const flood = async (client: FrameClient, { clock }: TestServer, next: () => Buffer): Promise<number> => {
  let sent = 0;
  for (let rounds = 0; !client.closed && rounds < 400; rounds++) {
    const bytes = Buffer.concat(Array.from({ length: 500 }, next));
    sent += bytes.length;
    client.send(bytes);
    await turn(4);
    if (rounds % 50 === 49) await clock.advance(1000); // the sweep
  }
  await client.untilClosed();
  return sent;
};

/** Another client is served while a flood goes on or is over. */
const expectService = async ({ port }: TestServer): Promise<void> => {
  const client = overHttp2(port);
  expect((await client.send({ path: "/well" })).status).toBe(200);
  client.destroy();
};

test("bounds rapid resets: the connection ends, and no more handlers run than streams are allowed (CVE-2023-44487)", () => {
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

test("ends a connection that cancels more requests at once than resetBurst", () =>
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

test("refuses more streams at once than are allowed, and ends the connection of a client that knows the limit", () =>
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

test("ends a connection with endless CONTINUATION frames (CVE-2024-27983)", () =>
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
  WINDOW_UPDATE: () => frame(WINDOW_UPDATE, 0, 0, number32(0 + 1)),
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

test("ends the connection of a client that goes on after 100 refused requests, and not before", () =>
  withServer(withHttp2(undefined, { maxConcurrentStreams: 1 }), { serve: never }, async ({ port }) => {
    const client = connectFrames(port);
    const refused = (): number => client.frames.filter(({ type }) => type === RST_STREAM).length;
    client.send(...Array.from({ length: 101 }, (_, at) => get(2 * at + 1)));
    while (refused() < 100) await turn(1);
    client.send(frame(PING, 0, 0, Buffer.alloc(8)));
    await client.until(({ type, flags }) => type === PING && flags === ACK);
    client.send(get(203), get(205), get(207));
    await client.untilClosed();
    expect(refused()).toBeLessThan(103);
  }));

test("takes as many bytes of an unread body as streamWindowBytes, and resets a stream that sends one more", () =>
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

const sweeps = withHttp2(undefined, { maxOverheadBytesPerSec: 65_536 });
const upload = (stream: number, ...fields: [string, string][]): Buffer =>
  frame(HEADERS, END_HEADERS, stream, block([[":method", "POST"], ...getFields().slice(1), ...fields]));
/** A part of a body; four of them are less than `connectionWindowBytes`. */
const part = (stream: number): Buffer =>
  Buffer.concat(Array.from({ length: 20 }, () => frame(DATA, 0, stream, Buffer.alloc(10_000))));

test("counts bodies that wait for their handlers as bodies", () => {
  const begin = Promise.withResolvers<void>();
  const serve: Serve = async (source) => {
    await begin.promise;
    return Response.text(String((await readBody(source, 1e9)).byteLength));
  };
  return withServer(sweeps, { serve }, async ({ port, clock }) => {
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

/** Sends bodies for streams that the server closes unread, each once it is closed. */
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

const refused: Serve = ({ target }) => Response.text("no", { status: target === "/well" ? 200 : 401 });

test.each([
  ["by its handler", []],
  ["for its malformed head", [["host", "b"]]],
] as [string, [string, string][]][])(
  "counts what is on its way for a stream that was answered unread %s as a body",
  (_why, fields) =>
    withServer(sweeps, { serve: refused }, async ({ port, clock }) => {
      const client = connectFrames(port);
      client.send(frame(SETTINGS, ACK, 0));
      await sendToClosed(client, 1, fields);
      await clock.advance(2000);
      client.send(get(9));
      expect((await client.until(({ type, stream }) => type === GOAWAY || stream === 9)).type).toBe(HEADERS);
      client.socket.destroy();
    }),
);

test("counts what is on its way for a stream that was refused as a body", () => {
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

test("ends a connection that sends more for a closed stream than its length", () =>
  withServer(sweeps, { serve: refused }, async ({ port, clock }) => {
    const client = connectFrames(port);
    client.send(frame(SETTINGS, ACK, 0), upload(1, ["content-length", "10"]));
    await client.until(({ type, stream }) => type === RST_STREAM && stream === 1);
    client.send(part(1));
    await client.untilRead();
    await clock.advance(2000);
    expect(codeOf(await client.until(({ type }) => type === GOAWAY))).toBe(ENHANCE_YOUR_CALM);
    await client.untilClosed();
  }));

test("ends a connection whose overhead is more than what its closed streams explain", () =>
  withServer(sweeps, { serve: refused }, async (server) => {
    const client = connectFrames(server.port);
    client.send(frame(SETTINGS, ACK, 0));
    for (let stream = 1; stream < 100; stream += 2) client.send(upload(stream));
    await client.until(({ type, stream }) => type === RST_STREAM && stream === 99);
    await server.clock.advance(2000);
    const sent = await flood(client, server, () => frame(WINDOW_UPDATE, 0, 0, number32(1)));
    expect(sent).toBeGreaterThan(65_536);
    await expectService(server);
  }));

test("names each bound that node:http2 enforces, whatever its defaults are", () => {
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

test("resets a head far beyond the limits, before it is in memory", () =>
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

// oxlint-disable-next-line jest/expect-expect -- asserts in the callback of `withServer`, which the rule does not see in a table
test.each([
  ["no byte", null],
  ["a part of the preface", "PRI * HTTP/2.0\r\n"],
  ["the preface alone", preface.slice(0, 24)],
])("closes a connection that sends %s in time", (_name, first) =>
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

test("asks a silent client of an open request, and closes if it does not answer", () => {
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
      const asked = await client.until(({ type, flags }) => type === PING && flags === 0);
      client.send(frame(PING, ACK, 0, asked.payload));
      await client.untilRead();
      await clock.advance(12_000);
      expect(client.closed).toBe(false);
      await clock.advance(8000);
      await client.untilClosed();
      expect(totals.metrics()[3]?.read()).toContainEqual({ value: 1, labels: { reason: "silent" } });
    },
  );
});

test("resets a stream whose client never opens its window, and leaves the others", () =>
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

test("names the last request in a drain: those on their way are served, later ones are not", () => {
  const hold = Promise.withResolvers<{ status: number; payload: string; fields(): string[] }>();
  return withServer(
    withHttp2(),
    { serve: () => hold.promise },
    async ({ port, transport, clock, served }) => {
      const client = connectFrames(port);
      client.send(get(1));
      while (served.length === 0) await turn(1);
      const closed = transport.close(60_000);
      client.send(get(3));
      while (served.length === 1) await turn(1);
      await clock.advance(1500);
      const last = await client.until(({ type }) => type === GOAWAY);
      expect([last.payload.readUInt32BE(0), codeOf(last)]).toEqual([3, 0]);
      client.send(get(5));
      await turn(10);
      hold.resolve({ status: 200, payload: "x", fields: () => [] });
      await client.untilClosed();
      expect(client.frames.flatMap(({ type, stream }) => (type === HEADERS ? [stream] : []))).toEqual([1, 3]);
      expect([served.length, await closed]).toEqual([2, { cut: 0 }]);
    },
  );
});

test("serves a request on its way to an idle connection in a drain, and then closes it", () =>
  withServer(withHttp2(), {}, async ({ port, transport, clock, served }) => {
    const client = connectFrames(port);
    client.send(get(1));
    await client.until(({ type, stream }) => type === DATA && stream === 1);
    await turn(10);
    const closed = transport.close(60_000);
    await turn(10);
    client.send(get(3));
    await client.until(({ type, stream }) => type === DATA && stream === 3);
    await clock.advance(1500);
    const last = await client.until(({ type }) => type === GOAWAY);
    expect([last.payload.readUInt32BE(0), codeOf(last)]).toEqual([3, 0]);
    await client.untilClosed();
    expect([served.length, await closed]).toEqual([2, { cut: 0 }]);
  }));

test("ends a connection after its last allowed request", () =>
  withServer(withHttp2(), { limits: { maxRequestsPerConnection: 2 } }, async ({ port, served }) => {
    const client = connectFrames(port);
    client.send(get(1), get(3));
    await client.until(({ type, stream }) => type === HEADERS && stream === 3);
    await client.until(({ type }) => type === GOAWAY);
    await client.untilClosed();
    expect(served.length).toBe(2);
  }));
