import { eventually, turn, withServer } from "@framework/conformance";
import { Response } from "@framework/core";
import { BodyStream } from "@framework/core/feature";
import type { Reply, Serve } from "@framework/core/testing";
import { expect, test } from "@jest/globals";
import {
  block,
  codeOf,
  connectFrames,
  DATA,
  END_HEADERS,
  type Frame,
  frame,
  getFields,
  HEADERS,
  RST_STREAM,
} from "./raw-frames.test-kit.ts";
import { withHttp2 } from "./transports.test-kit.ts";

const none = (status: number): Reply => ({ status, payload: null, fields: () => [] });

const replies: Record<string, () => Reply> = {
  "a reply without a body": () => none(200),
  "status 204": () => none(204),
  "an empty text": () => Response.text(""),
  "a text": () => Response.text("a"),
  "an empty stream": () => new Response(new BodyStream((async function* () {})())),
};

const moments: Record<string, (make: () => Reply) => Serve> = {
  "at once": (make) => make,
  "in a later turn": (make) => async () => {
    await turn(1);
    return make();
  },
};

const cases = Object.keys(replies).flatMap((what) =>
  Object.keys(moments).map((when) => [what, when] as const),
);

test.each(cases)(
  "%s, given %s while the request's body is still open, reaches the client before the stream is reset",
  async (what, when) => {
    const serve = moments[when]?.(replies[what] as () => Reply) as Serve;
    await withServer(withHttp2(), { serve }, async ({ port }) => {
      const client = connectFrames(port);
      await client.untilRead();
      const open = (stream: number): Buffer => frame(HEADERS, END_HEADERS, stream, block(getFields()));
      client.send(Buffer.concat([open(1), open(3)]));
      for (const stream of [1, 3]) {
        const reset = await client.until((sent) => sent.type === RST_STREAM && sent.stream === stream);
        const ofStream = client.frames.filter((sent: Frame) => sent.stream === stream);
        expect([ofStream[0]?.type, ofStream.at(-1)?.type, codeOf(reset)]).toEqual([HEADERS, RST_STREAM, 0]);
      }
      client.socket.destroy();
    });
  },
);

test("a handler that replies after its client has closed the stream without an error ends the exchange", async () => {
  const { promise: closed, resolve: close } = Promise.withResolvers<void>();
  const serve: Serve = async (source) => {
    for await (const _ of source.chunks()) break;
    await closed;
    return Response.text("late");
  };
  await withServer(withHttp2(), { serve }, async ({ port, transport, served }) => {
    const client = connectFrames(port);
    client.send(frame(HEADERS, END_HEADERS, 1, block(getFields())));
    for (let sent = 0; sent < 5; sent++) client.send(frame(DATA, 0, 1, Buffer.alloc(1000)));
    await eventually(() => served.length === 1, "the request is served");
    client.send(frame(RST_STREAM, 0, 1, Buffer.alloc(4)));
    await client.untilRead();
    close();
    await eventually(() => transport.inFlight === 0, "the exchange has ended");
    expect(transport.connections).toBe(1);
    client.socket.destroy();
  });
});

test("a reply ends the exchange although the client has sent more than was read", async () => {
  const serve: Serve = async (source) => {
    for await (const _ of source.chunks()) break;
    await turn(10); // more arrives, and waits
    return Response.text("enough");
  };
  await withServer(withHttp2(), { serve }, async ({ port, transport, served }) => {
    const client = connectFrames(port);
    client.send(frame(HEADERS, END_HEADERS, 1, block(getFields())));
    for (let sent = 0; sent < 5; sent++) client.send(frame(DATA, 0, 1, Buffer.alloc(1000)));
    await eventually(() => served.length === 1, "the request is served");
    await client.until(({ type }) => type === RST_STREAM);
    await eventually(() => transport.inFlight === 0, "the exchange has ended");
    expect(transport.connections).toBe(1);
    client.socket.destroy();
  });
});
