import { eventually, overHttp2, turn, withServer } from "@framework/conformance";
import { Response } from "@framework/core";
import type { Serve } from "@framework/core/testing";
import { describe, expect, test } from "@jest/globals";
import { Http2Totals } from "./totals.ts";
import {
  connectFrames,
  DATA,
  END_STREAM,
  frame,
  get,
  number32,
  RST_STREAM,
  SETTINGS,
  WINDOW_UPDATE,
} from "./raw-frames.test-kit.ts";
import { http2Transports, withHttp2 } from "./transports.test-kit.ts";

const long = "x".repeat(16_000_000);
const timeouts = { writeSecs: 5 };
const MAX_WINDOW = 0x7fff_ffff;
const INITIAL_WINDOW = 65_535;
/** Opens the connection window. */
const open = frame(WINDOW_UPDATE, 0, 0, number32(MAX_WINDOW - INITIAL_WINDOW));
/** Opens the windows of its streams. */
const openStreams = frame(SETTINGS, 0, 0, Buffer.concat([Buffer.from([0, 4]), number32(MAX_WINDOW)]));

describe.each(http2Transports)("%s", (_name, make) => {
  test.each([1, 2, 12])(
    "resets %i replies that the client does not read, and serves its other request",
    (count) => {
      const hold = Promise.withResolvers<void>();
      const serve: Serve = async ({ target }) => {
        if (target !== "/hold") return Response.text(long);
        await hold.promise;
        return Response.text("held");
      };
      return withServer(make, { serve, timeouts }, async ({ port, clock, served, transport }) => {
        const client = overHttp2(port, make.ca);
        const held = client.open({ path: "/hold" });
        held.body.end();
        await eventually(() => served.length === 1, "the request is held");
        const unread = await Promise.all(Array.from({ length: count }, () => client.send({ path: "/long" })));
        for (const { body } of unread) body.pause();
        for (let second = 0; second < 60 && transport.inFlight > 1; second++) {
          await turn(20);
          await clock.advance(1000);
        }
        await eventually(
          () => unread.every(({ body }) => body.destroyed),
          "the client has received the resets",
        );
        await turn(20);
        await clock.advance(10_000);
        hold.resolve();
        expect(await (await held.reply).text()).toBe("held");
        client.destroy();
      });
    },
  );
});

test("ends a connection whose client reads nothing", () => {
  const totals = new Http2Totals();
  const make = withHttp2(undefined, {}, totals);
  return withServer(make, { serve: () => Response.text(long), timeouts }, async (server) => {
    const { port, clock, transport, served } = server;
    const client = connectFrames(port);
    client.socket.pause();
    client.send(openStreams, open, get(1), get(3));
    await eventually(() => served.length === 2, "both are served");
    await turn(100);
    for (let second = 0; second < 10 && transport.connections > 0; second++) {
      await clock.advance(1000);
      await turn(50);
    }
    expect([transport.connections, transport.inFlight]).toEqual([0, 0]);
    expect(totals.metrics()[3]?.read()).toContainEqual({ value: 1, labels: { reason: "slow" } });
    client.socket.destroy();
  });
});

test("unread earlier replies of a connection do not reset a new reply", () =>
  withServer(withHttp2(), { serve: () => Response.text("x".repeat(100_000)), timeouts }, async (server) => {
    const { port, clock, served } = server;
    const client = connectFrames(port);
    const smallWindows = frame(SETTINGS, 0, 0, Buffer.concat([Buffer.from([0, 4]), number32(1000)]));
    client.send(smallWindows, open, get(1), get(3));
    await eventually(() => served.length === 2, "both are served");
    await turn(20);
    for (let second = 0; second < 5; second++) await clock.advance(1000);
    client.send(get(5));
    await client.until(({ type, stream }) => type === DATA && stream === 5);
    await clock.advance(1000);
    for (const unread of [1, 3])
      await client.until(({ type, stream }) => type === RST_STREAM && stream === unread);
    client.send(frame(WINDOW_UPDATE, 0, 5, number32(100_000)));
    await client.until(
      ({ type, stream, flags }) =>
        stream === 5 && (type === RST_STREAM || (type === DATA && flags === END_STREAM)),
    );
    const framesOfNew = client.frames.filter(({ stream }) => stream === 5);
    expect(framesOfNew.at(-1)?.type).toBe(DATA);
    client.socket.destroy();
  }));
