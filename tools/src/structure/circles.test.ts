import { dirname } from "node:path";
import { expect, test } from "@jest/globals";
import { type Edge, findCircles } from "./circles.ts";

const imports = (...pairs: readonly string[]): Edge[] =>
  pairs.map((pair) => {
    const [from = "", to = ""] = pair.split(" > ");
    return { from, to };
  });
const asPairs = (circles: readonly (readonly Edge[])[]): string[][] =>
  circles.map((circle) => circle.map(({ from, to }) => `${from} > ${to}`).toSorted());
const file = (path: string): string => path;

test("imports in one direction are not a circle", () => {
  expect(findCircles(imports("a > b", "b > c", "a > c"), file)).toEqual([]);
});

test("of files that reach each other the shortest circle is reported", () => {
  const edges = imports("a > b", "b > c", "c > d", "d > a", "c > b");
  expect(asPairs(findCircles(edges, file))).toEqual([["b > c", "c > b"]]);
});

test("circles without a common file are reported separately", () => {
  const edges = imports("a > b", "b > a", "b > c", "c > d", "d > c");
  const circles = asPairs(findCircles(edges, file));
  expect(circles).toHaveLength(2);
  expect(circles.flat().toSorted()).toEqual(["a > b", "b > a", "c > d", "d > c"]);
});

test("folders can form a circle although their files do not", () => {
  const edges = imports("x/a > y/b", "y/c > x/d", "x/a > x/d");
  expect(findCircles(edges, file)).toEqual([]);
  expect(asPairs(findCircles(edges, dirname))).toEqual([["x/a > y/b", "y/c > x/d"]]);
});
