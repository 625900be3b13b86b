import { eventually, type TestServer, turn, withServer } from "@framework/conformance";
import { Response } from "@framework/core";
import { BodyStream } from "@framework/core/feature";
import { readBody, type Reply, type Serve } from "@framework/core/testing";
import { expect, test } from "@jest/globals";
import {
  block,
  codeOf,
  connectFrames,
  DATA,
  END_HEADERS,
  END_STREAM,
  type Frame,
  frame,
  getFields,
  HEADERS,
  RST_STREAM,
} from "./raw-frames.test-kit.ts";
import { withHttp2 } from "./transports.test-kit.ts";

const emptyReply = (status: number): Reply => ({ status, payload: null, fields: () => [] });

const replies: Record<string, () => Reply> = {
  "a reply without a body": () => emptyReply(200),
  "status 204": () => emptyReply(204),
  "an empty string": () => Response.text(""),
  "a text": () => Response.text("a"),
  "an empty stream": () => new Response(new BodyStream((async function* () {})())),
};

const timings: Record<string, (make: () => Reply) => Serve> = {
  "at once": (make) => make,
  "in a later turn": (make) => async () => {
    await turn(1);
    return make();
  },
};

const cases = Object.keys(replies).flatMap((name) =>
  Object.keys(timings).map((when) => [name, when] as const),
);

test.each(cases)(
  "%s, sent %s while the request body is incomplete, reaches the client before the reset",
  async (name, when) => {
    const serve = timings[when]?.(replies[name] as () => Reply) as Serve;
    await withServer(withHttp2(), { serve }, async ({ port }) => {
      const client = connectFrames(port);
      await client.untilRead();
      const open = (stream: number): Buffer => frame(HEADERS, END_HEADERS, stream, block(getFields()));
      client.send(Buffer.concat([open(1), open(3)]));
      for (const stream of [1, 3]) {
        const reset = await client.until((sent) => sent.type === RST_STREAM && sent.stream === stream);
        const streamFrames = client.frames.filter((sent: Frame) => sent.stream === stream);
        expect([streamFrames[0]?.type, streamFrames.at(-1)?.type, codeOf(reset)]).toEqual([
          HEADERS,
          RST_STREAM,
          0,
        ]);
      }
      client.socket.destroy();
    });
  },
);

test("a reply ends the exchange after the client has closed the stream without an error", async () => {
  const { promise: closed, resolve: close } = Promise.withResolvers<void>();
  const serve: Serve = async (source) => {
    for await (const _ of source.chunks()) break;
    await closed;
    return Response.text("reply");
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
    await turn(10); // more bytes arrive
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

const lengthOfBody: Serve = async (source) => Response.text(String((await readBody(source, 1e9)).byteLength));
const firstOfBody: Serve = async (source) => {
  for await (const { byteLength } of source.chunks()) return Response.text(String(byteLength));
  return emptyReply(400);
};
const openPost = (length: string): Buffer =>
  frame(
    HEADERS,
    END_HEADERS,
    1,
    block([[":method", "POST"], ...getFields().slice(1), ["content-length", length]]),
  );
const untilEnded = async (
  { transport, served, clock }: TestServer,
  ends: readonly string[],
): Promise<void> => {
  await eventually(() => served.length === 1, "the request is served");
  for (let second = 0; second < 5 && transport.inFlight > 0; second++) {
    await clock.advance(1000);
    await turn(10);
  }
  await eventually(() => ends.length === 1, "the exchange has ended");
};

test.each([
  ["reads its body", "5", lengthOfBody],
  ["reads a part of it", "5", firstOfBody],
  ["does not read it", "5", () => Response.text("5")],
  ["has no body to read", "0", () => Response.text("5")],
] as [string, string, Serve][])(
  "an exchange ends after its reply although the client never ends the request; the handler %s",
  async (_name, length, serve) => {
    const ends: string[] = [];
    const recorded: Serve = (source) => {
      source.onEnd((end) => void ends.push(end));
      return serve(source);
    };
    await withServer(withHttp2(), { serve: recorded }, async (server) => {
      const client = connectFrames(server.port);
      client.send(openPost(length));
      if (length === "5") client.send(frame(DATA, 0, 1, Buffer.from("hello")));
      const reply = await client.until(({ type }) => type === DATA);
      expect(reply.payload.toString()).toBe("5");
      await untilEnded(server, ends);
      const reset = await client.until(({ type }) => type === RST_STREAM);
      expect([codeOf(reset), ends, server.transport.connections]).toEqual([0, ["sent"], 1]);
      client.socket.destroy();
    });
  },
);

test("a client that ends its request shortly after the reply gets no RST_STREAM", async () => {
  const ends: string[] = [];
  const recorded: Serve = (source) => {
    source.onEnd((end) => void ends.push(end));
    return lengthOfBody(source);
  };
  await withServer(withHttp2(), { serve: recorded }, async (server) => {
    const client = connectFrames(server.port);
    client.send(openPost("5"), frame(DATA, 0, 1, Buffer.from("hello")));
    await client.until(({ type, flags }) => type === DATA && flags === END_STREAM);
    await server.clock.advance(1000);
    client.send(frame(DATA, END_STREAM, 1));
    await client.untilRead();
    await eventually(() => ends.length === 1, "the exchange has ended");
    expect(client.frames.some(({ type }) => type === RST_STREAM)).toBe(false);
    client.socket.destroy();
  });
});
