import { isDeepStrictEqual } from "node:util";
import { expect, test } from "@jest/globals";
import fc from "fast-check";
import { LimitsConfig } from "../../config/limits-config.ts";
import { MessageReader } from "./node-message-reader.ts";

const narrowLimits = LimitsConfig.of({ maxRequestLine: 64, maxHeaderBytes: 256 });
const wideLimits = LimitsConfig.of({ maxRequestLine: 64, maxHeaderBytes: 8192 });

/** Returns the result of reading bytes that arrive in pieces of a length. */
const read = (text: string, pieceLength: number, limits = narrowLimits) => {
  const reader = new MessageReader(limits);
  const bytes = Buffer.from(text, "latin1");
  let at = 0;
  while (at < bytes.length && reader.failure === null && !reader.headIsRead) {
    const piece = bytes.subarray(0, Math.min(bytes.length, at + pieceLength));
    at = reader.read(piece, at);
  }
  const { failure, headIsRead, atStart } = reader;
  return { at, headIsRead, atStart, failure: failure?.message, detail: failure?.detail };
};

const usual = "GET /a?b=c HTTP/1.1\r\nHost: example.test\r\nAccept: */*\r\nX-Long: some value\r\n\r\n";
const odd = fc.constantFrom(
  "",
  " ",
  "  ",
  "\r",
  "\n",
  "\r\n",
  "\r\r",
  "\n\r",
  ":",
  "HTTP/",
  "RTSP/1.0",
  "\t",
  "\0",
  "x".repeat(70),
  "a:b\r\n".repeat(30),
  "\r\n\r\n",
);

test("any head has the same result whether it arrives in one piece or byte by byte", () => {
  const edits = fc.array(
    fc.record({ at: fc.nat({ max: usual.length }), drop: fc.nat({ max: 3 }), put: odd }),
    {
      maxLength: 4,
    },
  );
  fc.assert(
    fc.property(edits, fc.constantFrom("", "body", usual), (changes, after) => {
      let text = usual;
      for (const { at, drop, put } of changes) text = text.slice(0, at) + put + text.slice(at + drop);
      return isDeepStrictEqual(read(text + after, Infinity), read(text + after, 1));
    }),
    { numRuns: 20_000 },
  );
});

test("a whole head of any length has the same result as byte by byte, even with other bytes inserted", () => {
  const insertion = fc.option(fc.record({ at: fc.nat({ max: 900 }), put: odd }));
  fc.assert(
    fc.property(
      fc.integer({ min: 440, max: 560 }),
      insertion,
      fc.constantFrom("", usual),
      (length, put, after) => {
        const field = `X: ${"y".repeat(length - 60)}\r\nZ: 1\r\n`;
        const head = usual.slice(0, -2) + field + "\r\n";
        const text = put === null ? head : head.slice(0, put.at) + put.put + head.slice(put.at);
        return isDeepStrictEqual(read(text + after, Infinity, wideLimits), read(text + after, 1, wideLimits));
      },
    ),
    { numRuns: 3000 },
  );
});

test.each([
  "GET  HTTP/1.1\r\n\r\n",
  "GET  / HTTP/1.1\r\n\r\n",
  "GET /  HTTP/1.1\r\n\r\n",
  "GET / HTTP\r\n\r\n",
  "GET / RTSP/1.0\r\n\r\n",
  " GET / HTTP/1.1\r\n\r\n",
  "GET / HTTP/1.1\n\r\n",
  "GET / HTTP/1.1\r\n\rX: 1\r\n\r\n",
  "GET / HTTP/1.1\r\nA: 1\n\rB: 2\r\n\r\n",
  `GET /${"a".repeat(60)} HTTP/1.1\r\n\r\n`,
  `GET / HTTP/1.1\r\n${"a:b\r\n".repeat(45)}\r\n`,
  `GET / HTTP/1.1\r\nA: ${"b".repeat(260)}\r\n\r\n`,
])("a whole head has the same result as byte by byte: %j", (head) => {
  expect(read(head, Infinity)).toEqual(read(head, 1));
});

test("an ordinary head is read to its end", () => {
  expect(read(`${usual}body`, Infinity)).toMatchObject({ at: usual.length, headIsRead: true });
});
