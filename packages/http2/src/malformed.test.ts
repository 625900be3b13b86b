import { eventually, withServer } from "@framework/conformance";
import { readBody, type Serve } from "@framework/core/testing";
import { expect, test } from "@jest/globals";
import {
  block,
  codeOf,
  connectFrames,
  DATA,
  END_HEADERS,
  END_STREAM,
  frame,
  getFields,
  GOAWAY,
  HEADERS,
  RST_STREAM,
} from "./raw-frames.test-kit.ts";
import { withHttp2 } from "./transports.test-kit.ts";

const PROTOCOL_ERROR = 1;
const plain = getFields();
const without = (name: string): [string, string][] => plain.filter(([each]) => each !== name);

/** Malformed requests of RFC 9113 8.1.1, 8.2 and 8.3, among them the fields of HTTP/1.1 connections. */
const malformed: Record<string, (readonly [string, string])[]> = {
  "an upper-case name": [...plain, ["X-Upper", "1"]],
  "an unknown pseudo-field": [...plain, [":test", "ok"]],
  "a pseudo-field of replies": [...plain, [":status", "200"]],
  "a pseudo-field after others": [...without(":path"), ["x-name", "1"], [":path", "/"]],
  "a repeated :method": [...plain, [":method", "GET"]],
  "a repeated :scheme": [...plain, [":scheme", "http"]],
  "a repeated :path": [...plain, [":path", "/"]],
  "a repeated :authority": [...plain, [":authority", "b"]],
  "no :method": without(":method"),
  "no :scheme": without(":scheme"),
  "no :path": without(":path"),
  "an empty :path": [...without(":path"), [":path", ""]],
  connection: [...plain, ["connection", "keep-alive"]],
  "keep-alive": [...plain, ["keep-alive", "timeout=5"]],
  "proxy-connection": [...plain, ["proxy-connection", "keep-alive"]],
  "transfer-encoding": [...plain, ["transfer-encoding", "chunked"]],
  upgrade: [...plain, ["upgrade", "websocket"]],
  "te other than trailers": [...plain, ["te", "gzip, trailers"]],
  "no authority": without(":authority").concat([["host", ""]]),
  "a malformed authority": [...without(":authority"), [":authority", "user@a b"]],
  "a target of HTTP/1.1 proxies": [...without(":path"), [":path", "http://a/"]],
  "an extended CONNECT, such as WebSocket's": [
    [":method", "CONNECT"],
    [":protocol", "websocket"],
    ...without(":method"),
  ],
};

for (const [name, fields] of Object.entries(malformed)) {
  test(`resets a request with ${name}, and serves the next one`, () =>
    withServer(withHttp2(), {}, async ({ port, served }) => {
      const client = connectFrames(port);
      client.send(frame(HEADERS, END_HEADERS | END_STREAM, 1, block(fields)));
      const reset = await client.until(({ type, stream }) => type === RST_STREAM && stream === 1);
      expect(codeOf(reset)).toBe(PROTOCOL_ERROR);
      client.send(frame(HEADERS, END_HEADERS | END_STREAM, 3, block(plain)));
      await client.until(({ type, stream }) => type === HEADERS && stream === 3);
      expect(served.length).toBe(1);
      client.socket.destroy();
    }));
}

test.each([
  ["longer", 3],
  ["shorter", 9],
])("a request whose body is %s than its content-length is never read as complete", (_name, length) => {
  const outcomes: string[] = [];
  const serve: Serve = async (source) => {
    try {
      await readBody(source, 1000);
      outcomes.push("complete");
    } catch (error) {
      outcomes.push((error as { code: string }).code);
    }
    return { status: 200, payload: null, fields: () => [] };
  };
  return withServer(withHttp2(), { serve }, async ({ port, served }) => {
    const client = connectFrames(port);
    const head = block([[":method", "POST"], ...without(":method"), ["content-length", String(length)]]);
    client.send(frame(HEADERS, END_HEADERS, 1, head));
    await eventually(() => served.length === 1, "the request is served");
    client.send(frame(DATA, END_STREAM, 1, Buffer.from("12345")));
    await client.until(({ type }) => type === RST_STREAM || type === GOAWAY);
    await eventually(() => outcomes.length > 0, "the body was read");
    client.socket.destroy();
    expect(outcomes).toEqual(["CORE_CLIENT_DISCONNECTED"]);
  });
});

const refused: Record<string, [number, (readonly [string, string])[]]> = {
  CONNECT: [
    501,
    [
      [":method", "CONNECT"],
      [":authority", "a:1"],
    ],
  ],
  "a Host that contradicts :authority": [400, [...plain, ["host", "b"]]],
  "a repeated authorization": [400, [...plain, ["authorization", "a"], ["authorization", "b"]]],
};

for (const [name, [status, fields]] of Object.entries(refused)) {
  test(`rejects ${name} with ${status}`, () =>
    withServer(withHttp2(), {}, async ({ port, served }) => {
      const client = connectFrames(port);
      client.send(frame(HEADERS, END_HEADERS | END_STREAM, 1, block(fields)));
      const body = await client.until(({ type, stream }) => type === DATA && stream === 1);
      expect([JSON.parse(body.payload.toString()).status, served.length]).toEqual([status, 0]);
      client.socket.destroy();
    }));
}

const dropped: Record<string, readonly [string, string]> = {
  "a name with a space": ["x name", "1"],
  "an empty name": ["", "1"],
  "a value with a line break": ["x-name", "a\r\nb: c"],
  "a value with NUL": ["x-name", "a\0"],
};

for (const [name, field] of Object.entries(dropped)) {
  test(`drops a field with ${name}, as nghttp2 does`, () =>
    withServer(withHttp2(), {}, async ({ port, served }) => {
      const client = connectFrames(port);
      client.send(frame(HEADERS, END_HEADERS | END_STREAM, 1, block([...plain, field, ["x-other", "1"]])));
      await client.until(({ type, stream }) => type === HEADERS && stream === 1);
      expect([...(served[0]?.fields ?? [])]).toEqual(["host", "a", "x-other", "1"]);
      client.socket.destroy();
    }));
}

test("accepts a Host equal to :authority in any case, and a Host without :authority", () =>
  withServer(withHttp2(), {}, async ({ port, served }) => {
    const client = connectFrames(port);
    client.send(
      frame(HEADERS, END_HEADERS | END_STREAM, 1, block([...plain, ["host", "a"]])),
      frame(HEADERS, END_HEADERS | END_STREAM, 3, block([...plain, ["host", "A"]])),
      frame(HEADERS, END_HEADERS | END_STREAM, 5, block([...without(":authority"), ["host", "b"]])),
    );
    await client.until(({ type, stream }) => type === HEADERS && stream === 5);
    expect(served.map(({ authority, fields }) => [authority, [...fields]])).toEqual([
      ["a", ["host", "a"]],
      ["a", ["host", "a"]],
      ["b", ["host", "b"]],
    ]);
    client.socket.destroy();
  }));

test("the error names the contradiction between Host and :authority", () =>
  withServer(withHttp2(), {}, async ({ port }) => {
    const client = connectFrames(port);
    client.send(frame(HEADERS, END_HEADERS | END_STREAM, 1, block([...plain, ["host", "b"]])));
    const body = await client.until(({ type, stream }) => type === DATA && stream === 1);
    expect(body.payload.toString()).toContain("Host contradicts :authority");
    client.socket.destroy();
  }));

test("without h2c, an HTTP/2 preface gets 505 over HTTP/1.1", () =>
  withServer(withHttp2(undefined, { h2c: false }), {}, async ({ exchange }) => {
    expect(await exchange("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n")).toMatch(/^HTTP\/1\.1 505 /);
  }));

test("with h2c, also serves HTTP/1.1, even if the request begins like the preface", () =>
  withServer(withHttp2(), {}, async ({ connect, exchange }) => {
    const client = await connect();
    for (const byte of "PROPFIND / HTTP/1.1\r\nHost: a\r\n\r\n") await client.send(byte);
    expect((await client.replies(1))[0]?.status).toBe(200);
    expect(await exchange("GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")).toMatch(
      /^HTTP\/1\.1 200 /,
    );
  }));
