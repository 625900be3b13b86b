import { isDeepStrictEqual } from "node:util";
import { expect, test } from "@jest/globals";
import fc from "fast-check";
import { LimitsConfig } from "../../config/limits-config.ts";
import { FastInput } from "./fast-input.ts";
import type { CachedHead } from "./fast-cached-head.ts";
import { emptyFastHead } from "./fast-head.ts";

const limits = LimitsConfig.of({ maxHeaderBytes: 400, maxHeaderFields: 8, maxRequestLine: 80 });

const line = fc
  .tuple(fc.constantFrom("GET", "POST", "HEAD"), fc.constantFrom("/", "/a", "/b", "/books/1", "/books/2?x=1"))
  .map(([method, target]) => `${method} ${target} HTTP/1.1\r\n`);
const field = fc.constantFrom(
  "Accept: */*\r\n",
  "x-a: 1\r\n",
  "X-A:  2 \r\n",
  "Content-Length: 3\r\n",
  "Content-Length: 0\r\n",
  "Connection: close\r\n",
  "Connection: keep-alive\r\n",
  "Cookie: a=b\r\n",
  "Cookie: c=d\r\n",
);
const fields = fc.array(field, { maxLength: 4 }).map((lines) => `Host: a.example\r\n${lines.join("")}\r\n`);

/** A mutation of a line: often none, so that parts of heads repeat; otherwise one byte is replaced, removed or inserted, or the line is truncated. */
const mutation = fc.oneof(
  { weight: 3, arbitrary: fc.constant((text: string) => text) },
  {
    weight: 1,
    arbitrary: fc
      .tuple(
        fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
        fc.constantFrom("", "\n", " ", "1", ":"),
        fc.nat(1),
      )
      .map(([position, put, taken]) => (text: string): string => {
        const at = Math.floor(position * text.length);
        return text.slice(0, at) + put + text.slice(at + taken);
      }),
  },
  {
    weight: 1,
    arbitrary: fc.nat(60).map(
      (cut) =>
        (text: string): string =>
          text.slice(0, -cut),
    ),
  },
);

const heads = fc
  .record({
    lines: fc.array(line, { minLength: 1, maxLength: 3 }),
    sections: fc.array(fields, { minLength: 1, maxLength: 2 }),
  })
  .chain(({ lines, sections }) =>
    fc.array(
      fc
        .tuple(fc.constantFrom(...lines), fc.constantFrom(...sections), mutation)
        .map(([first, rest, mutate]) => mutate(first + rest)),
      { minLength: 2, maxLength: 8 },
    ),
  );

/** Returns the result of parsing a head and its body. */
const read = (input: FastInput, text: string, body: string): unknown => {
  const head = emptyFastHead();
  const bytes = Buffer.from(text + body, "latin1");
  input.add(bytes);
  const end = input.readHead(bytes, limits, head);
  const known = end === -1 ? null : input.takeHead(bytes, head);
  const { unsupported, lacksBody, partial } = input;
  input.clear();
  input.partial = false;
  if (known === null) return { end, unsupported, lacksBody, partial };
  const { method, target, bodyStart, bodyLength, last } = head;
  input.take(end);
  return {
    end,
    method,
    target,
    bodyStart,
    bodyLength,
    last,
    authority: known.authority,
    values: values(known),
    fields: [...known.toList()],
  };
};

const names = ["host", "accept", "x-a", "cookie", "content-length", "connection", "x", "hos", "cookie"];
const values = (head: CachedHead): (string | null)[] => names.map((name) => head.get(name));

test("parses a head after other heads with the same result as in a new input", () => {
  let repeats = 0;
  let fourInARow = 0;
  fc.assert(
    fc.property(heads, fc.constantFrom("abc", ""), (texts, body) => {
      const input = new FastInput();
      for (const [at, text] of texts.entries()) {
        if (!isDeepStrictEqual(read(input, text, body), read(new FastInput(), text, body))) return false;
        if (texts.indexOf(text) < at) repeats++;
        if (body === "" && texts[at - 1] === text && texts[at - 2] === text && texts[at - 3] === text)
          fourInARow++;
      }
      return true;
    }),
    { numRuns: 2000 },
  );
  expect(repeats).toBeGreaterThan(500);
  expect(fourInARow).toBeGreaterThan(10);
});

test("parses repeated chunks in any order", () => {
  const texts = ["GET /a", "GET /b"].map((line) => `${line} HTTP/1.1\r\nHost: a\r\n\r\n`) as [string, string];
  for (let order = 0; order < 256; order++) {
    const input = new FastInput();
    const head = emptyFastHead();
    for (let turn = 0; turn < 8; turn++) {
      const which = (order >> turn) & 1;
      const chunk = Buffer.from(texts[which] as string);
      expect(input.takeWhole(chunk, limits, head)?.authority).toBe("a");
      expect([head.target, head.bodyStart]).toEqual([which === 0 ? "/a" : "/b", chunk.length]);
    }
  }
});

test("caches a head for the next request until dropCache, but not a head from a long chunk or with a body", () => {
  const parse = (input: FastInput, chunk: Buffer): unknown => input.takeWhole(chunk, limits, emptyFastHead());
  const get = "GET / HTTP/1.1\r\nHost: a\r\n";
  const isCached = (text: string, options = LimitsConfig.of()): boolean => {
    const input = new FastInput();
    const first = input.takeWhole(Buffer.from(text), options, emptyFastHead());
    expect(first).not.toBeNull();
    return input.takeWhole(Buffer.from(text), options, emptyFastHead()) === first;
  };
  expect(isCached(`${get}\r\n`)).toBe(true);
  expect(isCached(`${get}X: ${"x".repeat(2048)}\r\n\r\n`)).toBe(false);
  expect(isCached(`${get}Content-Length: 1\r\n\r\nx`)).toBe(false);
  const input = new FastInput();
  const first = parse(input, Buffer.from(`${get}\r\n`));
  input.dropCache();
  expect(parse(input, Buffer.from(`${get}\r\n`))).not.toBe(first);
});

test.each(["", "a b", "a,b"])("passes a first request with the Host %j to node:http", (host) => {
  const input = new FastInput();
  const chunk = Buffer.from(`GET / HTTP/1.1\r\nHost: ${host}\r\n\r\n`);
  expect(input.takeWhole(chunk, limits, emptyFastHead())).toBeNull();
  expect(input.unsupported).toBe(true);
});
