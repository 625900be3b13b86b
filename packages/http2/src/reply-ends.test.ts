import { eventually, overHttp2, type TestServer, turn, withServer } from "@framework/conformance";
import { Response } from "@framework/core";
import { readBody, type Serve } from "@framework/core/testing";
import { describe, expect, test } from "@jest/globals";
import {
  block,
  connectFrames,
  DATA,
  END_HEADERS,
  END_STREAM,
  type FrameClient,
  frame,
  get,
  getFields,
  HEADERS,
  number32,
  RST_STREAM,
  SETTINGS,
} from "./raw-frames.test-kit.ts";
import { http2Transports, withHttp2 } from "./transports.test-kit.ts";

const NO_ERROR = number32(0);
const smallWindows = frame(SETTINGS, 0, 0, Buffer.concat([Buffer.from([0, 4]), number32(100)]));
const post = Buffer.concat([
  frame(HEADERS, END_HEADERS, 1, block([[":method", "POST"], ...getFields().slice(1)])),
  frame(DATA, END_STREAM, 1, Buffer.from("hello")),
]);

/** Sends a request with a window of 100 bytes for its reply, and collects the ends of exchanges. */
const cutShort = (
  request: Buffer,
  length: number,
  run: (server: TestServer, client: FrameClient) => Promise<void>,
): Promise<string[]> => {
  const ends: string[] = [];
  const serve: Serve = async (source) => {
    source.onEnd((end) => void ends.push(end));
    await readBody(source, 1e6);
    return Response.text("x".repeat(length));
  };
  return withServer(withHttp2(), { serve }, async (server) => {
    const client = connectFrames(server.port);
    client.send(smallWindows);
    await client.untilRead();
    client.send(request);
    await client.until(({ type }) => type === DATA);
    await run(server, client);
    await eventually(() => ends.length === 1, "the exchange has ended");
    client.socket.destroy();
  }).then(() => ends);
};

describe.each([
  ["a GET", get(1)],
  ["a request whose body was read", post],
])("the reply to %s", (_name, request) => {
  test.each([60_000, 300_000])(
    "of %i bytes that its client cancels without an error ends as aborted",
    async (length) => {
      const ends = await cutShort(request, length, async (_server, client) =>
        client.send(frame(RST_STREAM, 0, 1, NO_ERROR)),
      );
      expect(ends).toEqual(["aborted"]);
    },
  );

  test.each([60_000, 300_000])(
    "of %i bytes that the deadline of a drain interrupts ends as aborted",
    async (length) => {
      const ends = await cutShort(request, length, async ({ transport, clock }) => {
        const closed = transport.close(1000);
        await clock.advance(2000);
        await closed;
      });
      expect(ends).toEqual(["aborted"]);
    },
  );
});

test.each(http2Transports)("replies that the client has read end as sent (%s)", async (_name, make) => {
  const ends: string[] = [];
  const serve: Serve = async (source) => {
    source.onEnd((end) => void ends.push(end));
    if (source.target !== "/unread") await readBody(source, 1e6);
    return Response.text("x".repeat(source.target === "/empty" ? 0 : 60_000));
  };
  await withServer(make, { serve }, async ({ port }) => {
    const client = overHttp2(port, make.ca);
    for (const path of ["/", "/unread", "/empty"])
      for (const method of ["GET", "POST"]) {
        const body = method === "POST" ? "hello" : undefined;
        await (await client.send({ method, path, ...(body !== undefined && { body }) })).text();
      }
    await eventually(() => ends.length === 6, "all exchanges have ended");
    await turn(1);
    expect(new Set(ends)).toEqual(new Set(["sent"]));
    client.destroy();
  });
});
