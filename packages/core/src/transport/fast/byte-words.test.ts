import { expect, test } from "@jest/globals";
import fc from "fast-check";
import { controlFrom, loadWords } from "./byte-words.ts";

const naive = (bytes: Uint8Array, start: number): number => {
  let at = start;
  while (at < bytes.length && (bytes[at] === 9 || (bytes[at]! >= 32 && bytes[at] !== 127))) at++;
  return at;
};

const found = (bytes: Uint8Array, start: number): number => {
  loadWords(bytes);
  return controlFrom(bytes, start);
};

test("finds every byte that a value may not have, at every place of a word, and no other", () => {
  for (let byte = 0; byte < 256; byte++) {
    for (let place = 0; place < 9; place++) {
      for (const around of [0x20, 0x61, 0x7e, 0x80, 0xff]) {
        const bytes = new Uint8Array(12).fill(around);
        bytes[place] = byte;
        for (let start = 0; start <= place; start++) expect(found(bytes, start)).toBe(naive(bytes, start));
      }
    }
  }
});

test("agrees with a search byte by byte, whatever was loaded before", () => {
  const nearly = fc.array(
    fc.oneof({ weight: 20, arbitrary: fc.constantFrom(0x20, 0x41, 0x80, 0xff, 9) }, fc.nat(255)),
    { maxLength: 80 },
  );
  fc.assert(
    fc.property(nearly, fc.nat(80), (list, from) => {
      const bytes = Uint8Array.from(list);
      const start = Math.min(from, bytes.length);
      expect(found(bytes, start)).toBe(naive(bytes, start));
    }),
    { numRuns: 2000 },
  );
});

test("reads a chunk that is longer than its memory to the end", () => {
  for (const length of [65_535, 65_536, 65_537, 70_001]) {
    const bytes = new Uint8Array(length).fill(0x61);
    expect(found(bytes, 1)).toBe(length);
    bytes[length - 1] = 0;
    expect(found(bytes, 3)).toBe(length - 1);
  }
});
