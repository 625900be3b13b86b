import { expect, test } from "@jest/globals";
import fc from "fast-check";
import { loadWindow, LONG_WINDOW, textEnd } from "./head-window.ts";

const naiveEnd = (bytes: Uint8Array, start: number): number => {
  let at = start;
  while (at < bytes.length && (bytes[at] === 9 || (bytes[at]! >= 32 && bytes[at] !== 127))) at++;
  return at;
};

const endIn = (bytes: Uint8Array, start: number): number => {
  loadWindow(bytes, 0, LONG_WINDOW);
  return textEnd(start);
};

test("finds exactly the bytes that are invalid in a value, at every offset within a word", () => {
  const wrong: string[] = [];
  for (let byte = 0; byte < 256; byte++) {
    for (let offset = 0; offset < 9; offset++) {
      for (const filler of [0x20, 0x61, 0x7e, 0x80, 0xff]) {
        const bytes = new Uint8Array(12).fill(filler);
        bytes[offset] = byte;
        for (let start = 0; start <= offset; start++)
          if (endIn(bytes, start) !== naiveEnd(bytes, start))
            wrong.push(`${byte} at ${offset} from ${start}`);
      }
    }
  }
  expect(wrong).toEqual([]);
});

test("agrees with a bytewise search, whatever was loaded before", () => {
  const mostlyValid = fc.array(
    fc.oneof({ weight: 20, arbitrary: fc.constantFrom(0x20, 0x41, 0x80, 0xff, 9) }, fc.nat(255)),
    { maxLength: 80 },
  );
  fc.assert(
    fc.property(mostlyValid, fc.nat(80), (list, from) => {
      const bytes = Uint8Array.from(list);
      const start = Math.min(from, bytes.length);
      return endIn(bytes, start) === naiveEnd(bytes, start);
    }),
    { numRuns: 2000 },
  );
});

test("stops at the end of the window, whatever was loaded before", () => {
  loadWindow(new Uint8Array(LONG_WINDOW).fill(0x61), 0, LONG_WINDOW);
  for (let length = 0; length < 20; length++)
    expect(endIn(new Uint8Array(length).fill(0x61), 0)).toBe(length);
  expect(endIn(new Uint8Array(LONG_WINDOW + 9).fill(0x61), 1)).toBe(LONG_WINDOW);
  expect(loadWindow(new Uint8Array(100).fill(0x61), 90, 8)).toBe(8);
  expect(textEnd(3)).toBe(8);
});
