import { expect, test } from "@jest/globals";
import fc from "fast-check";
import { headText } from "./fast-head-text.ts";
import { headEnd } from "../wire/head-end.ts";
import { prepareReply } from "../wire/reply-head.ts";
import { ReplyHeads } from "./reply-heads.ts";

const heads = new ReplyHeads(); // shared by all tests: the state after one reply must not affect the next

const date = "Thu, 01 Jan 1970 00:00:00 GMT";
const field = fc.tuple(
  fc.constantFrom(
    "content-type",
    "Content-Type",
    "x",
    "etag",
    "Set-Cookie",
    "Connection",
    "date",
    "Content-Length",
    "keep-alive",
    "a b",
    "",
  ),
  fc.constantFrom("a", "b", "", "close", "x, close", "é", "☃", "a\r\nb: c", "\0", "v".repeat(300)),
);

/** Returns the result of a call, or "throws". */
const outcome = (make: () => string | null): string | null => {
  try {
    return make();
  } catch {
    return "throws";
  }
};

test("writes an ordinary head exactly as prepareReply and headText do", () => {
  let ordinary = 0;
  const replies = fc.record({
    status: fc.oneof(
      { weight: 5, arbitrary: fc.constantFrom(200, 201, 404, 500) },
      fc.constantFrom(204, 205, 304, 199, 600, 101, 0, 200.5),
    ),
    fields: fc.array(field, { maxLength: 3 }).map((pairs) => pairs.flat()),
    payload: fc.constantFrom("", "abc", "ü", null),
    close: fc.boolean(),
    method: fc.constantFrom("GET", "HEAD"),
  });
  fc.assert(
    fc.property(replies, ({ status, fields, payload, close, method }) => {
      const length = Buffer.byteLength(payload ?? "");
      const text = outcome(() => heads.ordinary(status, fields, length, headEnd(date, close)));
      if (text === null) return;
      ordinary++;
      const reply = { status, payload, fields: () => fields };
      expect(text).toBe(outcome(() => headText(prepareReply(reply, { method, minor: 1, close, date }))));
    }),
    { numRuns: 1000 },
  );
  expect(ordinary).toBeGreaterThan(100);
});

test("returns null for a hop-by-hop field and for a status without a body", () => {
  const head = (status: number, ...fields: string[]): string | null => heads.ordinary(status, fields, 0, "");
  expect([
    head(200, "Connection", "close"),
    head(200, "content-length", "9"),
    head(204),
    head(304),
    head(600),
  ]).toEqual([null, null, null, null, null]);
});

test("writes the current value of a field after other values", () => {
  const head = (value: string): string | null => heads.ordinary(200, ["x-value", value], 0, "");
  for (const value of ["1", "2", "2", "x".repeat(500), "1", ""]) {
    expect(head(value)).toContain(`\r\nx-value: ${value}\r\n`);
  }
  expect(() => head("1\r\n")).toThrow("x-value");
  expect(head("1")).toContain("\r\nx-value: 1\r\n");
});

test("writes 1,000 names correctly, more than it caches", () => {
  for (let name = 0; name < 1000; name++) {
    expect(heads.ordinary(200, [`n${name}`, "v"], 0, "")).toContain(`\r\nn${name}: v\r\n`);
  }
});

test("does not cache the heads of a list that is not frozen", () => {
  const list = ["x-value", "1"];
  for (const value of ["1", "1", "1", "2", "3"]) {
    list[1] = value;
    expect(heads.ordinary(200, list, 0, "")).toContain(`\r\nx-value: ${value}\r\n`);
  }
});

test("writes the same heads for alternating frozen lists as for new lists, with every length and end", () => {
  const frozen = [["content-type", "a"], ["content-type", "b"], []].map((list) => Object.freeze(list));
  const replies = fc.record({
    list: fc.nat(2),
    status: fc.constantFrom(200, 200, 200, 404),
    length: fc.constantFrom(1, 1, 2, 65, 129),
    second: fc.constantFrom(0, 0, 0, 1),
  });
  fc.assert(
    fc.property(fc.array(replies, { minLength: 5, maxLength: 30 }), (sequence) => {
      const shared = new ReplyHeads();
      for (const { list, status, length, second } of sequence) {
        const fields = frozen[list] as readonly string[];
        const end = `date: ${second}\r\n\r\n`;
        expect(shared.ordinary(status, fields, length, end)).toBe(
          new ReplyHeads().ordinary(status, [...fields], length, end),
        );
      }
    }),
    { numRuns: 300 },
  );
});
