import { byteRanges } from "@framework/core/http";
import { expect, test } from "@jest/globals";
import fc from "fast-check";
import { maxRanges, size, table } from "./range-table.test-kit.ts";
import { send, servedApp } from "./served-app.test-kit.ts";

const content = Uint8Array.from({ length: size }, (_, index) => (index * 7 + (index >> 8)) % 256);

/** Parses a `multipart/byteranges` body into its parts by `Content-Range`. */
const partsOf = (bytes: Buffer, type: string): (readonly [range: string, type: string, body: Buffer])[] => {
  const boundary = /^multipart\/byteranges; boundary=([\w-]{1,70})$/.exec(type)?.[1] ?? "";
  const text = bytes.toString("latin1");
  expect(text.startsWith(`--${boundary}\r\n`) && text.endsWith(`\r\n--${boundary}--\r\n`)).toBe(true);
  return `\r\n${text}`
    .split(`\r\n--${boundary}`)
    .slice(1, -1)
    .map((part) => {
      const end = part.indexOf("\r\n\r\n");
      const fields = new Map(
        part
          .slice(2, end)
          .split("\r\n")
          .map(
            (line) => [line.slice(0, line.indexOf(":")), line.slice(line.indexOf(":") + 1).trim()] as const,
          ),
      );
      return [
        fields.get("content-range") ?? "",
        fields.get("content-type") ?? "",
        Buffer.from(part.slice(end + 4), "latin1"),
      ] as const;
    });
};

const slice = (start: number, end: number): Buffer => Buffer.from(content.subarray(start, end + 1));

/** The parts of a reply with their ranges, types and bytes, and whether its length is correct. */
const contentOf = async (reply: Response) => {
  const bytes = Buffer.from(await reply.bytes());
  const type = reply.headers.get("content-type") ?? "";
  const range = reply.headers.get("content-range");
  const isMultipart = type.startsWith("multipart/");
  const parts = isMultipart ? partsOf(bytes, type) : [[range, type, bytes] as const];
  return { parts, hasCorrectLength: reply.headers.get("content-length") === String(bytes.byteLength) };
};

test("every Range field gets exactly the requested bytes", async () => {
  const { app } = servedApp({ "a.bin": content });
  for (const [field, expected] of table) {
    const headers = { range: field };
    const reply = await app.fetch(new Request("http://localhost/static/a.bin", { headers }));
    const { parts, hasCorrectLength } = await contentOf(reply);
    const seen = parts.map(([range, type, bytes]) => ({ range, type, bytes }));
    const type = "application/octet-stream";
    const withoutRanges = {
      whole: [{ range: null, type, bytes: Buffer.from(content) }],
      none: [{ range: `bytes */${size}`, type: "application/json", bytes: seen[0]?.bytes }],
    };
    const inParts = (list: readonly (readonly [number, number])[]) =>
      list.map(([start, end]) => ({
        range: `bytes ${start}-${end}/${size}`,
        type,
        bytes: slice(start, end),
      }));
    const expectedParts = typeof expected === "string" ? withoutRanges[expected] : inParts(expected);
    const status = expected === "whole" ? 200 : expected === "none" ? 416 : 206;
    const name = field.slice(0, 60);
    const plain = (list: readonly { range: unknown; type: string }[]) =>
      list.map((part) => [part.range, part.type]);
    const areSame = seen.every(({ bytes }, at) => expectedParts[at]?.bytes?.equals(bytes) === true);
    expect([name, reply.status, plain(seen), areSame, hasCorrectLength]).toEqual([
      name,
      status,
      plain(expectedParts),
      true,
      true,
    ]);
    expect(reply.headers.get("accept-ranges")).toBe("bytes");
  }
  expect(table.length).toBeGreaterThan(60);
});

test("ranges of a one-byte file and of an empty file are clamped or unsatisfiable", async () => {
  const { app } = servedApp({ "one.txt": "a", "none.txt": "" });
  const seen = async (path: string, range: string) => {
    const { status, text, headers } = await send(app, `/static/${path}`, { headers: { range } });
    return [status, status === 416 ? "" : text, headers.get("content-range")];
  };
  expect(await seen("one.txt", "bytes=0-0")).toEqual([206, "a", "bytes 0-0/1"]);
  expect(await seen("one.txt", "bytes=0-")).toEqual([206, "a", "bytes 0-0/1"]);
  expect(await seen("one.txt", "bytes=-5")).toEqual([206, "a", "bytes 0-0/1"]);
  expect(await seen("one.txt", "bytes=1-")).toEqual([416, "", "bytes */1"]);
  expect(await seen("one.txt", "bytes=-0")).toEqual([416, "", "bytes */1"]);
  expect(await seen("none.txt", "bytes=0-0")).toEqual([416, "", "bytes */0"]);
  expect(await seen("none.txt", "bytes=0-")).toEqual([416, "", "bytes */0"]);
  expect(await seen("none.txt", "bytes=-0")).toEqual([416, "", "bytes */0"]);
  expect(await seen("none.txt", "bytes=-1")).toEqual([200, "", null]);
});

test("merged ranges are disjoint and cover exactly the requested bytes", () => {
  const spec = fc.oneof(
    fc
      .tuple(fc.nat(30), fc.nat(30))
      .map(([from, more]) => ({ text: `${from}-${from + more}`, from, to: from + more })),
    fc.nat(30).map((from) => ({ text: `${from}-`, from, to: Infinity })),
    fc.nat(30).map((length) => ({ text: `-${length}`, from: -length, to: Infinity })),
  );
  fc.assert(
    fc.property(
      fc.array(spec, { minLength: 1, maxLength: 12 }),
      fc.integer({ min: 1, max: 24 }),
      (specs, length) => {
        const expected = new Set<number>();
        for (const { text, from, to } of specs) {
          if (text === "-0") continue;
          const start = text.startsWith("-") ? Math.max(0, length + from) : from;
          for (let at = start; at <= Math.min(to, length - 1); at++) expected.add(at);
        }
        const requested = byteRanges(`bytes=${specs.map(({ text }) => text).join(", ")}`, length);
        const ranges = requested === "whole" ? null : requested === "unsatisfiable" ? [] : requested;
        const runs = [...expected].filter((at) => !expected.has(at - 1)).length;
        expect(ranges === null).toBe(runs > maxRanges);
        const found = (ranges ?? []).flatMap(({ start, end }) =>
          Array.from({ length: end - start + 1 }, (_, at) => start + at),
        );
        const all = ranges === null ? [] : [...expected].sort((one, other) => one - other);
        expect(found.toSorted((one, other) => one - other)).toEqual(all);
        const starts = new Set(ranges?.map(({ start }) => start));
        expect(ranges?.some(({ end }) => starts.has(end + 1)) ?? false).toBe(false);
      },
    ),
    { numRuns: 500 },
  );
});

test("a Range field is parsed in linear time", () => {
  for (const field of [
    `bytes=${"0-,".repeat(500_000)}`,
    `bytes=${" ".repeat(1_600_000)}`,
    `bytes=${"1".repeat(1_600_000)}`,
    `bytes=${" ,".repeat(800_000)}x`,
  ]) {
    const begin = process.cpuUsage();
    byteRanges(field, 10);
    expect(process.cpuUsage(begin).user / 1000).toBeLessThan(20_000); // quadratic time would take hours
  }
});

test("HEAD and a false If-Range ignore the Range field", async () => {
  const { app } = servedApp({ "a.txt": "0123456789" });
  const range = "bytes=2-3";
  const { headers } = await send(app, "/static/a.txt");
  const etag = headers.get("etag") ?? "";
  const modified = headers.get("last-modified") ?? "";
  const get = async (ifRange: string) =>
    (await send(app, "/static/a.txt", { headers: { range, "if-range": ifRange } })).text;
  expect(await get(etag)).toBe("23");
  expect(await get(modified)).toBe("23");
  for (const other of [`W/${etag}`, '"other"', "Thu, 01 Jan 1970 00:00:00 GMT", "yesterday", "*"])
    expect([other, await get(other)]).toEqual([other, "0123456789"]);
  const head = await send(app, "/static/a.txt", { method: "HEAD", headers: { range } });
  expect([head.status, head.headers.get("content-length"), head.headers.get("content-range")]).toEqual([
    200,
    "10",
    null,
  ]);
});
