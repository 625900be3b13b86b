import { expect, test } from "@jest/globals";
import fc from "fast-check";
import { ReplyCounter, UnexpectedReply } from "./reply-counter.ts";
import type { ReplyEnd } from "./shot.ts";

const countReplies = (end: ReplyEnd, text: string, cuts: readonly number[]): number => {
  const counter = new ReplyCounter(end);
  const bytes = Buffer.from(text, "latin1");
  const positions = [
    0,
    ...cuts.map((cut) => cut % (bytes.length + 1)).toSorted((a, b) => a - b),
    bytes.length,
  ];
  let ended = 0;
  for (const [index, to] of positions.entries()) {
    const piece = bytes.subarray(positions[index - 1] ?? 0, to);
    if (piece.length > 0) ended += counter.push(piece, piece.length);
  }
  return ended;
};

const plain = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi";
const chunked =
  "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n14\r\nxxxxxxxxxxxxxxxxxxxx\r\n0\r\n\r\n";

test("replies of a known length are counted however their bytes are split", () => {
  const end: ReplyEnd = { kind: "length", bytes: plain.length };
  fc.assert(
    fc.property(fc.array(fc.nat(400)), fc.integer({ min: 1, max: 8 }), (cuts, replies) => {
      expect(countReplies(end, plain.repeat(replies), cuts)).toBe(replies);
    }),
  );
});

test("a chunked reply ends with its last chunk, however its bytes are split", () => {
  fc.assert(
    fc.property(fc.array(fc.nat(400)), (cuts) => {
      expect(countReplies({ kind: "last chunk", atLeast: 60 }, chunked, cuts)).toBe(1);
    }),
  );
});

test("a partial reply is not counted", () => {
  expect(countReplies({ kind: "length", bytes: plain.length }, plain.slice(0, -1), [])).toBe(0);
  expect(countReplies({ kind: "last chunk", atLeast: 60 }, chunked.slice(0, -1), [])).toBe(0);
});

test("a status other than 200 is an error", () => {
  const failed = plain.replace("200 OK", "500 No");
  const counter = new ReplyCounter({ kind: "length", bytes: plain.length });
  expect(() => counter.push(Buffer.from(plain + failed), plain.length * 2)).toThrow(UnexpectedReply);
});

test("replies with heads of different lengths are counted however their bytes are split", () => {
  const reply = (left: number): string =>
    `HTTP/1.1 200 OK\r\nX-Left: ${left}\r\nContent-Length: 8\r\n\r\nab\r\n\r\ncd`;
  const bytes = Buffer.from([0, 10, 1000].map(reply).join(""));
  for (let size = 12; size <= bytes.length; size++) {
    const counter = new ReplyCounter({ kind: "body", bytes: 8 });
    let ended = 0;
    for (let at = 0; at < bytes.length; at += size) {
      const piece = bytes.subarray(at, at + size);
      ended += counter.push(piece, piece.length);
    }
    expect(ended).toBe(3);
  }
  const rejected = Buffer.from(reply(0).replace("200", "429"));
  expect(() => new ReplyCounter({ kind: "body", bytes: 8 }).push(rejected, rejected.length)).toThrow(
    UnexpectedReply,
  );
});

test("messages without heads are counted by length only", () => {
  const bytes = Buffer.from("..hello..hello..he");
  expect(new ReplyCounter({ kind: "length", bytes: 7, bare: true }).push(bytes, bytes.length)).toBe(2);
});
