import { expect, test } from "@jest/globals";
import fc from "fast-check";
import { type ByteRange, byteRanges, type RequestedRanges } from "./byte-ranges.ts";

const MiB = 1_048_576;
const last = MiB - 1;
const big = "9".repeat(400);
const many = (count: number) =>
  Array.from({ length: count }, (_, index) => `${index * 4}-${index * 4}`).join(",");

const no = "unsatisfiable";
const whole = "whole";

/** A field and its result for bodies of 0 B, 1 B and 1 MiB; `0-0,5-9` means two parts. */
const table: readonly (readonly [field: string, empty: string, one: string, large: string])[] = [
  ["bytes=0-0", no, "0-0", "0-0"],
  ["bytes=0-", no, "0-0", `0-${last}`],
  ["bytes=0-499", no, "0-0", "0-499"],
  ["bytes=500-999", no, no, "500-999"],
  ["bytes=1-", no, no, `1-${last}`],
  ["bytes=1-1", no, no, "1-1"],
  [`bytes=${last}-`, no, no, `${last}-${last}`],
  [`bytes=${last}-${last}`, no, no, `${last}-${last}`],
  [`bytes=${MiB}-`, no, no, no],
  [`bytes=${MiB}-${MiB + 5}`, no, no, no],
  [`bytes=0-${MiB}`, no, "0-0", `0-${last}`],
  [`bytes=0-${big}`, no, "0-0", `0-${last}`],
  [`bytes=${big}-`, no, no, no],
  ["bytes=0-99999999999999999999", no, "0-0", `0-${last}`],
  ["bytes=00000-00000", no, "0-0", "0-0"],
  ["bytes=-1", whole, "0-0", `${last}-${last}`],
  ["bytes=-500", whole, "0-0", `${MiB - 500}-${last}`],
  [`bytes=-${MiB}`, whole, "0-0", `0-${last}`],
  [`bytes=-${MiB + 1}`, whole, "0-0", `0-${last}`],
  [`bytes=-${big}`, whole, "0-0", `0-${last}`],
  ["bytes=-0", no, no, no],
  ["bytes=-0,0-0", no, "0-0", "0-0"],
  ["bytes=0-0,-1", whole, "0-0", `0-0,${last}-${last}`],
  ["bytes=-1,0-0", whole, "0-0", `${last}-${last},0-0`],
  ["bytes=0-0,2-2", no, "0-0", "0-0,2-2"],
  ["bytes=2-2,0-0", no, "0-0", "2-2,0-0"],
  ["bytes=0-1,2-3", no, "0-0", "0-3"],
  ["bytes=2-3,0-1", no, "0-0", "0-3"],
  ["bytes=0-5,3-9", no, "0-0", "0-9"],
  ["bytes=3-9,0-5", no, "0-0", "0-9"],
  ["bytes=0-9,2-3", no, "0-0", "0-9"],
  ["bytes=0-0,0-0,0-0", no, "0-0", "0-0"],
  ["bytes=50-60,0-0,55-70", no, "0-0", "50-70,0-0"],
  ["bytes=0-0,500-,-500", whole, "0-0", `0-0,500-${last}`],
  ["bytes=0-,-1", whole, "0-0", `0-${last}`],
  [`bytes=0-0,${MiB}-`, no, "0-0", "0-0"],
  [`bytes=${MiB}-,${MiB + 9}-`, no, no, no],
  [`bytes=${many(10)}`, no, "0-0", many(10)],
  [`bytes=${many(11)}`, no, "0-0", whole],
  [`bytes=${many(500)}`, no, "0-0", whole],
  [`bytes=${"0-0,".repeat(500)}`, no, "0-0", "0-0"],
  ["bytes= 0-0", no, "0-0", "0-0"],
  ["bytes=0-0 ", no, "0-0", "0-0"],
  ["bytes=0-0 , 2-2", no, "0-0", "0-0,2-2"],
  ["bytes=\t0-0\t,\t2-2", no, "0-0", "0-0,2-2"],
  ["bytes=,0-0,,", no, "0-0", "0-0"],
  ["Bytes=0-0", no, "0-0", "0-0"],
  ["BYTES=0-0", no, "0-0", "0-0"],
  ["", whole, whole, whole],
  ["bytes", whole, whole, whole],
  ["bytes=", whole, whole, whole],
  ["bytes=,", whole, whole, whole],
  ["bytes=-", whole, whole, whole],
  ["bytes=a-b", whole, whole, whole],
  ["bytes=0-b", whole, whole, whole],
  ["bytes=5-2", whole, whole, whole],
  ["bytes=0-0,5-2", whole, whole, whole],
  ["bytes=0-0,x", whole, whole, whole],
  ["bytes=--1", whole, whole, whole],
  ["bytes=1-2-3", whole, whole, whole],
  ["bytes=+1-2", whole, whole, whole],
  ["bytes=1 - 2", whole, whole, whole],
  ["bytes=0x0-0x1", whole, whole, whole],
  ["bytes=1e0-2", whole, whole, whole],
  ["bytes=1.0-2", whole, whole, whole],
  ["bytes:0-0", whole, whole, whole],
  ["items=0-0", whole, whole, whole],
  ["0-0", whole, whole, whole],
  ["=0-0", whole, whole, whole],
  ["bytes=0-0;q=1", whole, whole, whole],
  ["bytes=٠-٠", whole, whole, whole],
];

const textOf = (ranges: RequestedRanges): string =>
  typeof ranges === "string" ? ranges : ranges.map(({ start, end }) => `${start}-${end}`).join(",");

test.each(table)("%s selects %s of 0 B, %s of 1 B, %s of 1 MiB", (field, empty, one, large) => {
  expect([0, 1, MiB].map((size) => textOf(byteRanges(field, size)))).toEqual([empty, one, large]);
});

test("an absent field selects the whole body", () => {
  expect([byteRanges(null, 5), byteRanges(undefined, 5)]).toEqual(["whole", "whole"]);
});

test("selects exactly the requested bytes, each once", () => {
  const spec = fc.oneof(
    fc.tuple(fc.nat(30), fc.nat(30)).map(([a, b]) => ({ text: `${Math.min(a, b)}-${Math.max(a, b)}` })),
    fc.nat(30).map((first) => ({ text: `${first}-` })),
    fc.nat(30).map((length) => ({ text: `-${length}` })),
  );
  const selectedBytes = (text: string, size: number): number[] => {
    const [first = "", end = ""] = text.split("-");
    return Array.from({ length: size }, (_, at) => at).filter((at) =>
      first === "" ? at >= size - Number(end) : at >= Number(first) && (end === "" || at <= Number(end)),
    );
  };
  fc.assert(
    fc.property(
      fc.array(spec, { minLength: 1, maxLength: 8 }),
      fc.integer({ min: 1, max: 25 }),
      (specs, size) => {
        const ranges = byteRanges(`bytes=${specs.map(({ text }) => text).join(",")}`, size);
        const expected = new Set(specs.flatMap(({ text }) => selectedBytes(text, size)));
        const given = (ranges === "unsatisfiable" ? [] : (ranges as readonly ByteRange[])).flatMap(
          ({ start, end }) => Array.from({ length: end - start + 1 }, (_, at) => start + at),
        );
        expect(given.toSorted((a, b) => a - b)).toEqual([...expected].toSorted((a, b) => a - b));
      },
    ),
    { numRuns: 300 },
  );
});
