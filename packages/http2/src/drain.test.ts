import { turn, withServer } from "@framework/conformance";
import { expect, test } from "@jest/globals";
import { codeOf, connectFrames, DATA, get, GOAWAY, HEADERS } from "./raw-frames.test-kit.ts";
import { withHttp2 } from "./transports.test-kit.ts";

test("a drain serves requests in transit, and its GOAWAY has the id of the last one", () => {
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

test("a drain serves a request in transit on an idle connection, and then closes it", () =>
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

test("ends a connection after maxRequestsPerConnection requests", () =>
  withServer(withHttp2(), { limits: { maxRequestsPerConnection: 2 } }, async ({ port, served }) => {
    const client = connectFrames(port);
    client.send(get(1), get(3));
    await client.until(({ type, stream }) => type === HEADERS && stream === 3);
    await client.until(({ type }) => type === GOAWAY);
    await client.untilClosed();
    expect(served.length).toBe(2);
  }));

test("a reply with connection: close ends the connection, but a 408 only its stream", () =>
  withServer(
    withHttp2(),
    {
      serve: ({ target }) => ({
        status: target === "/slow" ? 408 : 200,
        payload: "x",
        fields: () => (target === "/open" ? [] : ["connection", "close"]),
      }),
    },
    async ({ port }) => {
      const client = connectFrames(port);
      client.send(get(1, "/slow"));
      await client.until(({ type, stream }) => type === DATA && stream === 1);
      client.send(get(3, "/open"));
      expect((await client.until(({ type, stream }) => type === GOAWAY || stream === 3)).type).toBe(HEADERS);
      client.send(get(5, "/last"));
      await client.until(({ type }) => type === GOAWAY);
      await client.untilClosed();
    },
  ));
