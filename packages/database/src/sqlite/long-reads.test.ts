import { expect, test } from "@jest/globals";
import { LongReads } from "./long-reads.ts";

const times = (count: number, act: () => void): void => {
  for (let n = 0; n < count; n++) act();
};

test("a text is a long one from its first long read on, and no other is", () => {
  const reads = new LongReads(20);
  reads.took("a", 19.9);
  expect(reads.has("a")).toBe(false);
  reads.took("a", 20);
  expect([reads.has("a"), reads.has("b")]).toEqual([true, false]);
});

test("eight quick reads in a row take it back, and after a relapse it takes twice as many", () => {
  const reads = new LongReads(20);
  const quick = () => reads.took("a", 1);
  reads.took("a", 800);
  times(7, quick);
  reads.took("a", 800);
  times(7, quick);
  expect(reads.has("a")).toBe(true);
  quick();
  expect(reads.has("a")).toBe(false);
  reads.took("a", 800);
  times(15, quick);
  expect(reads.has("a")).toBe(true);
  quick();
  expect(reads.has("a")).toBe(false);
});

test("it remembers 500 texts, and forgets the one it has known longest", () => {
  const reads = new LongReads(20);
  for (let n = 0; n <= 500; n++) reads.took(`text ${n}`, 800);
  expect([reads.has("text 0"), reads.has("text 1"), reads.has("text 500")]).toEqual([false, true, true]);
});

test("stopped, it knows nothing and learns nothing", () => {
  const reads = new LongReads(20);
  reads.took("a", 800);
  reads.stop();
  reads.took("b", 800);
  expect([reads.has("a"), reads.has("b")]).toEqual([false, false]);
});
