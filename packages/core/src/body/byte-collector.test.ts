import { expect, test } from "@jest/globals";
import { ByteCollector } from "./byte-collector.ts";

test("keeps a single chunk without a copy", () => {
  const collector = new ByteCollector();
  const chunk = Uint8Array.of(1, 2);
  collector.append(new Uint8Array(0));
  collector.append(chunk);
  expect(collector.join()).toBe(chunk);
});

test("does not modify the chunks", () => {
  const collector = new ByteCollector();
  const slab = Uint8Array.of(1, 2, 3, 4);
  collector.append(slab.subarray(0, 2));
  collector.append(Uint8Array.of(9));
  expect([...collector.join()]).toEqual([1, 2, 9]);
  expect([...slab]).toEqual([1, 2, 3, 4]);
});

test("returns the exact length and accepts more chunks afterwards", () => {
  const collector = new ByteCollector();
  for (const byte of [1, 2, 3]) collector.append(Uint8Array.of(byte));
  expect(collector.join().buffer.byteLength).toBe(3);
  collector.append(Uint8Array.of(4));
  expect([...collector.join()]).toEqual([1, 2, 3, 4]);
});

test("allocates a buffer of the expected length, but not a huge one", () => {
  const small = new ByteCollector(10_000);
  small.append(Uint8Array.of(1));
  small.append(Uint8Array.of(2));
  small.append(new Uint8Array(9998));
  expect(small.join()).toBe(small.join()); // a buffer of another length would be copied
  expect(small.join().byteLength).toBe(10_000);

  const before = process.memoryUsage().arrayBuffers;
  const huge = new ByteCollector(1_000_000_000);
  huge.append(Uint8Array.of(1));
  huge.append(Uint8Array.of(2));
  expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(10_000_000);
  expect([...huge.join()]).toEqual([1, 2]);
});
