import { expect, test } from "@jest/globals";
import fc from "fast-check";
import { ValueError } from "../errors/http-errors.ts";
import { parseJson } from "./json-body.ts";
import { anyCharacter } from "../http/testing/any-character.ts";

const bytes = (text: string) => new TextEncoder().encode(text);
const parse = (text: string, options?: Parameters<typeof parseJson>[1]) => parseJson(bytes(text), options);
const nested = (levels: number, inner = "") => "[".repeat(levels) + inner + "]".repeat(levels);

test("parses any JSON text like JSON.parse", () => {
  fc.assert(
    fc.property(fc.json({ maxDepth: 5, stringUnit: anyCharacter }), (text) => {
      expect(parse(text)).toEqual(JSON.parse(text));
    }),
  );
});

test("accepts exactly what JSON.parse accepts, except numbers out of range; rejects the rest with ValueError", () => {
  const noise = fc.string({
    unit: fc.constantFrom(...'{}[]:,"\\ \n-+.eE01'.split(""), "true", "null", '"a"', "12", "\u0001"),
  });
  fc.assert(
    fc.property(noise, (text) => {
      const expected = outcome(() => JSON.parse(text, rejectInfinity));
      const actual = outcome(() => parse(text));
      expect(actual.value).toEqual(expected.value);
      expect(actual.error instanceof ValueError).toBe(expected.error !== undefined);
    }),
    { numRuns: 1000, examples: [["12e1210"], ["[1E+999]"]] },
  );
});

/** A reviver that rejects numbers that JSON.parse turns into Infinity. */
const rejectInfinity = (_name: string, value: unknown): unknown => {
  if (value === Infinity || value === -Infinity) throw new RangeError("out of range");
  return value;
};

const outcome = (run: () => unknown): { value?: unknown; error?: unknown } => {
  try {
    return { value: run() };
  } catch (error) {
    return { error };
  }
};

test.each([
  ["", "The body is empty, but JSON was expected"],
  [" ", "The JSON body is malformed: it ends too early"],
  ['{"a":1,}', "The JSON body is malformed at position 7"],
  ["at position 12", 'The JSON body is malformed: unexpected "a"'], // a message quotes this body
  ["1 2", "The JSON body is malformed at position 2"],
  ['{"a": wrong}', 'The JSON body is malformed: unexpected "w"'],
  [`"${"x".repeat(1000)}`, "The JSON body is malformed at position 1001"],
  ["[1,1e400]", "The JSON body has a number out of range at byte 3"],
  [nested(101), "The JSON body is nested deeper than 100 levels"],
])("describes the mistake in %j", (text, detail) => {
  const { error } = outcome(() => parse(text));
  expect(error).toBeInstanceOf(ValueError);
  expect((error as ValueError).detail).toBe(detail);
});

test.each([[[0xff]], [[0x22, 0xc3, 0x22]], [[0x22, 0xed, 0xa0, 0x80, 0x22]], [[0x22, 0xc0, 0xaf, 0x22]]])(
  "rejects bytes that are not UTF-8: %j",
  (body) => {
    expect(() => parseJson(Uint8Array.from(body))).toThrow("The JSON body is not valid UTF-8");
  },
);

test("skips one leading byte order mark and rejects it elsewhere", () => {
  expect(parse('\uFEFF{"a":1}')).toEqual({ a: 1 });
  expect(() => parse("\uFEFF\uFEFF1")).toThrow(ValueError);
  expect(() => parse("1\uFEFF")).toThrow(ValueError);
  expect(() => parse("\uFEFF")).toThrow(ValueError);
});

test("accepts scalars at the top level; the last of duplicate names wins", () => {
  expect(["1", '"a"', "null", "true", " 2 "].map((text) => parse(text))).toEqual([1, "a", null, true, 2]);
  expect(parse('{"a":1,"a":2}')).toEqual({ a: 2 });
});

test.each([false, true])("keeps __proto__ as an own property, bigint %s", (bigint) => {
  const value = parse('{"__proto__":{"admin":true},"n":12345678901234567890,"constructor":1}', { bigint });
  expect(Object.keys(value as object)).toEqual(["__proto__", "n", "constructor"]);
  expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
  expect((value as { admin?: unknown }).admin).toBeUndefined();
  expect(({} as { admin?: unknown }).admin).toBeUndefined();
});

test("accepts a string that contains an out-of-range number, next to a large number in range", () => {
  const text = String.raw`["\"1e400", "1e400\\", 1e300]`;
  expect(parse(text)).toEqual(JSON.parse(text));
});

test.each([
  "1e309",
  "-1e400",
  "1.8E+308",
  `1${"0".repeat(309)}`,
  "0.1e310",
  "12345e305",
  `-${"9".repeat(400)}.5`,
  "1e99999999999999999999",
])("rejects the number %s, which overflows", (number) => {
  expect(() => parse(number)).toThrow("out of range at byte 0");
  expect(() => parse(`{"a":[1,2,${number}]}`, { bigint: true })).toThrow("out of range at byte 10");
});

test.each([
  ["1e308", 1e308],
  ["1.7976931348623157e308", Number.MAX_VALUE],
  ["1e-400", 0],
  ["0e999", 0],
  [`0.${"0".repeat(400)}1e401`, 1],
  [`1${"0".repeat(400)}e-400`, 1],
  ['"1e400"', "1e400"],
  ['"\\"1e400"', '"1e400'],
])("accepts %s", (text, value) => {
  expect(parse(text)).toBe(value);
});

test("rejects exactly the numbers that Number converts to an infinity", () => {
  const digits = (maxLength: number) =>
    fc
      .integer({ min: 1, max: maxLength })
      .chain((length) =>
        fc.string({ unit: fc.constantFrom(..."0123456789".split("")), minLength: length, maxLength: length }),
      );
  const number = fc.tuple(
    fc.constantFrom("", "-"),
    digits(320),
    fc.option(digits(20)),
    fc.option(fc.integer({ min: -400, max: 400 })),
  );
  const text = number.map(([sign, whole, fraction, exponent]) => {
    const tail = (fraction === null ? "" : `.${fraction}`) + (exponent === null ? "" : `e${exponent}`);
    return `${sign}${whole.replace(/^0+(?=\d)/, "")}${tail}`;
  });
  fc.assert(
    fc.property(text, (given) => {
      const { value, error } = outcome(() => parse(`[${given}]`));
      expect(error instanceof ValueError).toBe(!Number.isFinite(Number(given)));
      expect(value).toEqual(error === undefined ? [Number(given)] : undefined);
    }),
    { numRuns: 500 },
  );
});

test("keeps big integers exact with the option bigint, and changes no other value", () => {
  const text =
    '{"id":12345678901234567890,"min":-9007199254740993,"safe":9007199254740991,"f":1.5,"e":1e20,"s":"12345678901234567890"}';
  expect(parse(text, { bigint: true })).toEqual({
    id: 12345678901234567890n,
    min: -9007199254740993n,
    safe: 9007199254740991,
    f: 1.5,
    e: 1e20,
    s: "12345678901234567890",
  });
  expect(parse("12345678901234567890")).toBe(12345678901234567000);
  expect(parse("[9007199254740993]", { bigint: true })).toEqual([9007199254740993n]);
});

test("parses any integer exactly with the option bigint", () => {
  fc.assert(
    fc.property(fc.bigInt({ min: -(10n ** 40n), max: 10n ** 40n }), (value) => {
      const [parsed] = parse(`[${value}]`, { bigint: true }) as [number | bigint];
      expect(BigInt(parsed)).toBe(value);
      expect(typeof parsed).toBe(Number.isSafeInteger(Number(value)) ? "number" : "bigint");
    }),
  );
});

test("scans hostile bodies in linear time", () => {
  for (const unit of [
    "[",
    "]",
    '"',
    "\\",
    "1",
    "-",
    "e",
    "1e",
    "0e999,",
    '"\\"',
    "[]",
    '\\"',
    `${"x".repeat(70)}\\"`,
  ]) {
    const body = bytes(`[${unit.repeat(1_000_000 / unit.length)}`);
    const start = process.cpuUsage();
    expect(() => parseJson(body)).toThrow(ValueError);
    expect(process.cpuUsage(start).user / 1000).toBeLessThan(1500);
  }
});

test("with bigint, an integer of millions of digits is rejected without its slow conversion", () => {
  const body = bytes(`[${"9".repeat(8_000_000)}]`);
  const start = process.cpuUsage();
  expect(() => parseJson(body, { bigint: true })).toThrow("a number out of range at byte 1");
  expect(process.cpuUsage(start).user / 1000).toBeLessThan(1500);
  expect(parse("[9007199254740993]", { bigint: true })).toEqual([9_007_199_254_740_993n]);
});
