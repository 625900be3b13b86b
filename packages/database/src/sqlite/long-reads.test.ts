import { expect, test } from "@jest/globals";
import { LongReads } from "./long-reads.ts";

const times = (count: number, act: () => void): void => {
  for (let n = 0; n < count; n++) act();
};

test("a text counts as long from its first long read on; other texts do not", () => {
  const reads = new LongReads(20);
  reads.record("a", 19.9, null);
  expect(reads.has("a")).toBe(false);
  reads.record("a", 20, null);
  expect([reads.has("a"), reads.has("b")]).toEqual([true, false]);
});

test("a text no longer counts as long after eight consecutive quick reads, and after a relapse after sixteen", () => {
  const reads = new LongReads(20);
  const quick = () => reads.record("a", 1, null);
  reads.record("a", 800, null);
  times(7, quick);
  reads.record("a", 800, null);
  times(7, quick);
  expect(reads.has("a")).toBe(true);
  quick();
  expect(reads.has("a")).toBe(false);
  reads.record("a", 800, null);
  times(15, quick);
  expect(reads.has("a")).toBe(true);
  quick();
  expect(reads.has("a")).toBe(false);
});

test("a known text is judged by its CPU time, unless it took ten times as long as a long read", () => {
  const reads = new LongReads(20);
  reads.record("a", 25, null);
  times(8, () => reads.record("a", 25, 1)); // in the reading process, while other programs used the CPU
  expect([reads.has("a"), reads.mustMeasure("a"), reads.mustMeasure("b")]).toEqual([false, true, false]);
  const here = (tookMs: number, workedMs: number) => {
    reads.record("a", tookMs, workedMs);
    return reads.has("a");
  };
  expect([here(199, 19), here(20, 20)]).toEqual([false, true]);
  times(16, () => reads.record("a", 25, 1));
  expect([reads.has("a"), here(200, 1)]).toEqual([false, true]);
});

test("the first read of a text is also judged by its CPU time", () => {
  const reads = new LongReads(20);
  reads.record("a", 199, 19);
  reads.record("b", 200, 19);
  reads.record("c", 25, 20);
  expect([reads.has("a"), reads.has("b"), reads.has("c")]).toEqual([false, true, true]);
});

test("500 texts are held, and the oldest is evicted", () => {
  const reads = new LongReads(20);
  for (let n = 0; n <= 500; n++) reads.record(`text ${n}`, 800, null);
  expect([reads.has("text 0"), reads.has("text 1"), reads.has("text 500")]).toEqual([false, true, true]);
});

test("after stop no texts are held or added", () => {
  const reads = new LongReads(20);
  reads.record("a", 800, null);
  reads.stop();
  reads.record("b", 800, null);
  expect([reads.has("a"), reads.has("b")]).toEqual([false, false]);
});
