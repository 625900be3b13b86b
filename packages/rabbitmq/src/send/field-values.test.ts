import { createRequire } from "node:module";
import { expect, test } from "@jest/globals";
import fc from "fast-check";
import { toWritable } from "./field-values.ts";

const driver = createRequire(import.meta.url).resolve("amqplib");
const { encodeTable, decodeFields } = createRequire(driver)("./lib/codec.js") as {
  encodeTable(buffer: Buffer, table: object, offset: number): number;
  decodeFields(bytes: Buffer): object;
};

const roundTrip = (table: object): object => {
  const buffer = Buffer.alloc(1_000_000);
  return decodeFields(buffer.subarray(4, encodeTable(buffer, table, 0)));
};

const number = fc.oneof(
  fc.double(),
  fc.constantFrom(-0, -(2 ** 63) - 2048),
  fc.double({ min: 2 ** 49, max: 2 ** 53 }), // amqplib writes some fractions of this range as integers
);
const time = fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }).map(Number);
const { value } = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { depthSize: "small" },
    fc.constantFrom(null, true, false, 0, 7, -(2 ** 63), 2 ** 63),
    number.map((each) => ({ "!": "double", value: each })),
    time.map((each) => ({ "!": "timestamp", value: Math.min(each, 2 ** 64 - 2048) })),
    fc.record({
      "!": fc.constant("decimal"),
      value: fc.record({ places: fc.nat(255), digits: fc.nat(2 ** 32 - 1) }),
    }),
    fc.string(),
    fc.uint8Array().map((bytes) => Buffer.from(bytes)),
    fc.array(tie("value"), { maxLength: 3 }),
    fc.dictionary(fc.stringMatching(/^[a-z]{0,5}$/), tie("value"), { maxKeys: 3 }),
  ),
}));

test("every value that amqplib reads is unchanged after it was written and read again", () => {
  fc.assert(
    fc.property(value, (each) => {
      const read = roundTrip({ each });
      expect(roundTrip({ each: toWritable(Reflect.get(read, "each")) })).toEqual(read);
    }),
  );
});

test("a value that amqplib cannot write is dropped, and the others are kept", () => {
  const unwritable = [
    { "!": "unknown", value: 1 },
    { "!": "timestamp", value: "now" },
    { "!": "decimal", value: 1 },
    { "!": { deep: true } },
  ];
  for (const odd of unwritable)
    expect(
      roundTrip({ odd: toWritable(odd), list: toWritable([odd, 1]), table: toWritable({ odd, a: 1 }) }),
    ).toEqual({
      list: [1],
      table: { a: 1 },
    });
  expect(roundTrip({ table: toWritable({ ["\uFFFD".repeat(100)]: 1, a: 1 }) })).toEqual({ table: { a: 1 } });
  const latest = { "!": "timestamp", value: 2 ** 64 };
  expect(roundTrip({ latest: toWritable(latest) })).toEqual({
    latest: { "!": "timestamp", value: 2 ** 64 - 2048 },
  });
});

test("deeply nested tables are truncated at a hundred levels", () => {
  let deep: object = {};
  for (let level = 0; level < 20_000; level++) deep = { deep };
  expect(JSON.stringify(toWritable(deep))).toMatch(/^(\{"deep":){99}\{/);
});
