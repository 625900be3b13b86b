import { dirname } from "node:path";
import { expect, test } from "@jest/globals";
import { type Edge, findCycles } from "./cycles.ts";

const imports = (...pairs: readonly string[]): Edge[] =>
  pairs.map((pair) => {
    const [from = "", to = ""] = pair.split(" > ");
    return { from, to };
  });
const asPairs = (cycles: readonly (readonly Edge[])[]): string[][] =>
  cycles.map((cycle) => cycle.map(({ from, to }) => `${from} > ${to}`).toSorted());
const file = (path: string): string => path;

test("imports in one direction are not a cycle", () => {
  expect(findCycles(imports("a > b", "b > c", "a > c"), file)).toEqual([]);
});

test("the shortest of several connected cycles is reported", () => {
  const edges = imports("a > b", "b > c", "c > d", "d > a", "c > b");
  expect(asPairs(findCycles(edges, file))).toEqual([["b > c", "c > b"]]);
});

test("cycles without a common file are reported separately", () => {
  const edges = imports("a > b", "b > a", "b > c", "c > d", "d > c");
  const cycles = asPairs(findCycles(edges, file));
  expect(cycles).toHaveLength(2);
  expect(cycles.flat().toSorted()).toEqual(["a > b", "b > a", "c > d", "d > c"]);
});

test("folders can form a cycle even if their files do not", () => {
  const edges = imports("x/a > y/b", "y/c > x/d", "x/a > x/d");
  expect(findCycles(edges, file)).toEqual([]);
  expect(asPairs(findCycles(edges, dirname))).toEqual([["x/a > y/b", "y/c > x/d"]]);
});
