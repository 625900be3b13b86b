import { expect, test } from "@jest/globals";
import { uuids } from "./uuid.ts";

/** The first two ids, made of the bytes that `fill` writes. */
const twoIds = (fill: (bytes: Uint8Array) => void): string[] => {
  const original = crypto.getRandomValues;
  crypto.getRandomValues = ((bytes: Uint8Array) => (fill(bytes), bytes)) as typeof original;
  try {
    const next = uuids();
    return [next(), next()];
  } finally {
    crypto.getRandomValues = original;
  }
};

test("an id is its 16 bytes in hexadecimal, with the version and variant bits set", () => {
  const ids = twoIds((bytes) => bytes.set(bytes.map((_, index) => index)));
  expect(ids).toEqual(["00010203-0405-4607-8809-0a0b0c0d0e0f", "10111213-1415-4617-9819-1a1b1c1d1e1f"]);
});

test.each([
  [0x00, "00000000-0000-4000-8000-000000000000"],
  [0xff, "ffffffff-ffff-4fff-bfff-ffffffffffff"],
  [0xa5, "a5a5a5a5-a5a5-45a5-a5a5-a5a5a5a5a5a5"],
])("16 bytes of %i produce the id %s", (byte, id) => {
  expect(twoIds((bytes) => bytes.fill(byte))[0]).toBe(id);
});

test("ids are unique and every digit varies, over many refills of the random pool", () => {
  const next = uuids();
  const ids = Array.from({ length: 2000 }, next);
  expect(new Set(ids).size).toBe(2000);
  const variety = Array.from({ length: 36 }, (_, position) => new Set(ids.map((id) => id[position])).size);
  const expected = Array.from("xxxxxxxx-xxxx-4xxx-yxxx-xxxxxxxxxxxx", (mark) => ({ x: 16, y: 4 })[mark] ?? 1);
  expect(variety).toEqual(expected);
});
