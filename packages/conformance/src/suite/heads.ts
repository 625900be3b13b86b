// Above 250 lines: one list of facts about heads, each a few lines.
import assert from "node:assert/strict";
import type { Test } from "../harness/test.ts";
import {
  fieldRows,
  framingRows,
  type HeadRow,
  hostRows,
  requestLineRows,
  targetRows,
} from "../rfc9112/head-rows.ts";
import { parseReplies, type RawClient } from "../harness/raw-client.ts";
import { echo, type MakeTransport, type TestServer, turn, withServer } from "../harness/test-server.ts";

const GOOD = "GET /next HTTP/1.1\r\nHost: a\r\n\r\n";

/** Request line, target, Host, fields, framing, limits of a head: refused values and their statuses, independent of how the bytes are split. */
export const headConformance = (test: Test, make: MakeTransport): void => {
  const tables = { requestLineRows, targetRows, hostRows, fieldRows, framingRows };
  for (const [table, rows] of Object.entries(tables)) {
    test(`${table}: answers each row, sent in one piece and followed by a request`, () =>
      withServer(make, {}, async (server) => {
        for (const row of rows) await checkRow(server, row, whole);
      }));
    test(`${table}: answers each row identically when it arrives byte by byte`, () =>
      withServer(make, {}, async (server) => {
        for (const row of rows) await checkRow(server, row, byteByByte);
      }));
  }
  test("answers identically wherever a head is split", () =>
    withServer(make, {}, async (server) => {
      for (const row of cutRows()) {
        for (let at = 1; at < row.bytes.length; at++) await checkRow(server, row, cutAt(at));
      }
    }));
  byteClasses(test, make);
  headValues(test, make);
  headLimits(test, make);
};

const cutRows = (): HeadRow[] =>
  [...requestLineRows, ...hostRows, ...framingRows].filter(({ name }) =>
    [
      "an ordinary request",
      "an unknown method",
      "two Hosts",
      "version 1.2",
      "chunked twice in a list",
    ].includes(name),
  );

type Send = (client: RawClient, bytes: string) => Promise<void>;
const whole: Send = (client, bytes) => client.send(bytes + GOOD);
const byteByByte: Send = async (client, bytes) => {
  for (const byte of bytes) {
    await client.send(byte);
    await turn(1);
  }
};
const cutAt =
  (at: number): Send =>
  async (client, bytes) => {
    await client.send(bytes.slice(0, at));
    await turn();
    await client.send(bytes.slice(at));
  };

const checkRow = async (server: TestServer, { name, bytes, status }: HeadRow, send: Send): Promise<void> => {
  const client = await server.connect();
  const before = server.served.length;
  try {
    await send(client, bytes);
    if (status !== 200) return await checkRefusal(server, client, status, before);
    const [reply] = await client.replies(1);
    assert.equal(reply?.status, 200);
  } catch (error) {
    throw new Error(`${name}: ${String(error)}`, { cause: error });
  } finally {
    client.destroy();
  }
};

const checkRefusal = async (
  server: TestServer,
  client: RawClient,
  status: number,
  before: number,
): Promise<void> => {
  const replies = parseReplies(await client.untilClosed(), true);
  assert.deepEqual(
    replies.map((reply) => [reply.status, reply.complete, reply.fields.get("connection")]),
    [[status, true, "close"]],
  );
  assert.equal((JSON.parse(replies[0]?.body ?? "") as { status: number }).status, status);
  assert.equal(client.reset, false);
  assert.equal(server.served.length, before);
};

const TOKEN = /[!#$%&'*+\-.^_`|~0-9A-Za-z]/;

const byteClasses = (test: Test, make: MakeTransport): void => {
  const places: [string, (byte: string) => string, (byte: string) => boolean][] = [
    ["a field's name", (byte) => `X${byte}Y: 1`, (byte) => TOKEN.test(byte) || byte === ":"],
    [
      "a field's value",
      (byte) => `X: a${byte}b`,
      (byte) => byte === "\t" || (byte >= " " && byte !== "\x7f"),
    ],
    ["the start of a field", (byte) => `${byte}X: 1`, (byte) => TOKEN.test(byte)],
    ["the position of the colon", (byte) => `X${byte}1`, (byte) => byte === ":"],
  ];
  for (const [place, field, isLegal] of places) {
    test(`accepts exactly the legal bytes at ${place}`, () =>
      withServer(make, {}, async (server) => {
        for (let code = 0; code < 256; code++) {
          const byte = String.fromCharCode(code);
          const received = await server.exchange(
            `GET / HTTP/1.1\r\nHost: a\r\n${field(byte)}\r\nConnection: close\r\n\r\n`,
          );
          assert.equal(parseReplies(received, true)[0]?.status, isLegal(byte) ? 200 : 400, `byte ${code}`);
        }
      }));
  }
};

const headValues = (test: Test, make: MakeTransport): void => {
  test("an absolute-form target replaces the Host everywhere", () =>
    withServer(make, { serve: echo }, async (server) => {
      const client = await server.connect();
      await client.send(
        "GET http://other:81/x?y HTTP/1.1\r\nHost: first\r\n\r\nOPTIONS HTTP://z HTTP/1.0\r\n\r\n",
      );
      const replies = (await client.replies(2)).map(({ body }): unknown => JSON.parse(body));
      assert.deepEqual(replies, [
        { method: "GET", target: "/x?y", authority: "other:81", bytes: 0 },
        { method: "OPTIONS", target: "*", authority: "z", bytes: 0 },
      ]);
      assert.deepEqual(
        server.served.map((source) => [
          source.field("host"),
          source.fields.filter((text) => text === "first").length,
        ]),
        [
          ["other:81", 0],
          ["z", 0],
        ],
      );
    }));
  test("returns fields as received, and joins repeated ones", () =>
    withServer(make, {}, async (server) => {
      const client = await server.connect();
      await client.send(
        "GET /p HTTP/1.1\r\nHost: a:1\r\nX-A: 1\r\nx-a: 2\r\nCookie: a=1\r\nCookie: b=2\r\n\r\n",
      );
      await client.replies(1);
      const [source] = server.served;
      assert.deepEqual(
        [...(source?.fields ?? [])],
        ["Host", "a:1", "X-A", "1", "x-a", "2", "Cookie", "a=1", "Cookie", "b=2"],
      );
      assert.deepEqual(
        ["x-a", "cookie", "absent"].map((name) => source?.field(name)),
        ["1, 2", "a=1; b=2", null],
      );
      assert.deepEqual(
        [source?.authority, source?.scheme, source?.remoteAddress],
        ["a:1", "http", "127.0.0.1"],
      );
    }));
};

const headLimits = (test: Test, make: MakeTransport): void => {
  const limits = { maxRequestLine: 100, maxHeaderBytes: 300, maxHeaderFields: 5 };
  const status = async (server: TestServer, bytes: string): Promise<number | undefined> =>
    parseReplies(await server.exchange(bytes), true)[0]?.status;
  const close = "Connection: close\r\n"; // 19 bytes
  const path = (length: number): string =>
    `GET /${"a".repeat(length - "GET / HTTP/1.1".length)} HTTP/1.1\r\n`;

  test("answers 414 from the first excess byte of the request line", () =>
    withServer(make, { limits }, async (server) => {
      for (const [length, expected] of [
        [100, 200],
        [101, 414],
        [350, 414],
        [5000, 414],
      ] as const) {
        assert.equal(
          await status(server, `${path(length)}Host: a\r\n${close}\r\n`),
          expected,
          `length ${length}`,
        );
      }
    }));
  test("answers 414 to a request line beyond all limits, in any number of reads", () =>
    withServer(make, { limits }, async (server) => {
      const bytes = `${path(5000)}Host: a\r\n${close}\r\n`;
      for (const size of [50, 99, 101, 250, 390, 410, 1000, 4990, 4998, 5001]) {
        const client = await server.connect({ staysOpen: true });
        for (let at = 0; at < bytes.length && !client.closed; at += size) {
          await client.send(bytes.slice(at, at + size));
          await turn();
        }
        assert.equal(parseReplies(await client.untilClosed(), true)[0]?.status, 414, `reads of ${size}`);
      }
    }));
  test("answers 431 to fields beyond all limits, in any number of reads", () =>
    withServer(make, { limits }, async (server) => {
      const bytes = `GET / HTTP/1.1\r\nHost: a\r\n${"Cookie: a=b; c=d\r\n".repeat(200)}\r\n`;
      for (const size of [50, 99, 101, 250, 390, 410, 1000, 3000]) {
        const client = await server.connect({ staysOpen: true });
        for (let at = 0; at < bytes.length && !client.closed; at += size) {
          await client.send(bytes.slice(at, at + size));
          await turn();
        }
        assert.equal(parseReplies(await client.untilClosed(), true)[0]?.status, 431, `reads of ${size}`);
      }
    }));
  test("answers 431 and names the largest field, in any number of reads", () =>
    withServer(make, { limits }, async (server) => {
      const long = `X-Long: ${"y".repeat(5000)}\r\n`;
      const rows: [string, string, string][] = [
        ["first", `${long}Host: a\r\n`, "x-long"],
        ["last", `Host: a\r\nAccept: */*\r\n${long}`, "x-long"],
        ["without a blank", `Host: a\r\n${long.replace(" ", "")}`, "x-long"],
        [
          "before the field that exceeds the limit",
          `Host: a\r\nX-A: ${"b".repeat(250)}\r\nX-C: ${"d".repeat(100)}\r\n`,
          "x-a",
        ],
        ["with too long a name", `Host: a\r\n${"N".repeat(5000)}: y\r\n`, "n".repeat(64)],
      ];
      for (const [name, fields, field] of rows) {
        const bytes = `GET / HTTP/1.1\r\n${fields}\r\n`;
        for (const size of [7, 50, 99, 250, 390, 1000, 6000]) {
          const client = await server.connect({ staysOpen: true });
          for (let at = 0; at < bytes.length && !client.closed; at += size) {
            await client.send(bytes.slice(at, at + size));
            await turn();
          }
          const [reply] = parseReplies(await client.untilClosed(), true);
          const { detail } = JSON.parse(reply?.body ?? "{}") as { detail?: string };
          assert.deepEqual(
            [reply?.status, detail],
            [431, `The header fields are longer than 300 bytes; the largest is ${field}`],
            `${name}, reads of ${size}`,
          );
        }
      }
    }));
  test("answers 431 from the first excess byte of the fields", () =>
    withServer(make, { limits }, async (server) => {
      const filler = (total: number): string => `X: ${"x".repeat(total - 9 - 19 - 5)}\r\n`;
      for (const [total, expected] of [
        [300, 200],
        [301, 431],
        [5000, 431],
      ] as const) {
        assert.equal(
          await status(server, `GET / HTTP/1.1\r\nHost: a\r\n${close}${filler(total)}\r\n`),
          expected,
          `${total}`,
        );
      }
    }));
  test("answers 431 to one field too many", () =>
    withServer(make, { limits }, async (server) => {
      const head = `GET / HTTP/1.1\r\nHost: a\r\n${close}`;
      assert.equal(await status(server, `${head}${"a: b\r\n".repeat(3)}\r\n`), 200);
      assert.equal(await status(server, `${head}${"a: b\r\n".repeat(4)}\r\n`), 431);
    }));
  test("detects a repeated Host after thousands of fields, and drops no field silently", () =>
    withServer(make, { limits: { maxHeaderFields: 4000, maxHeaderBytes: 100_000 } }, async (server) => {
      const many = "a: b\r\n".repeat(3000);
      assert.equal(await status(server, `GET / HTTP/1.1\r\nHost: a\r\n${many}${close}\r\n`), 200);
      assert.equal(server.served[0]?.fields.length, 2 * 3002);
      assert.equal(await status(server, `GET / HTTP/1.1\r\nHost: a\r\n${many}Host: b\r\n\r\n`), 400);
    }));
};
