import { expect, test } from "@jest/globals";
import { exampleReport } from "./example-report.ts";
import { plotOf } from "./plot.ts";

const numbers = (svg: string, pattern: RegExp): number[][] =>
  [...svg.matchAll(pattern)].map((match) => match.slice(1).map(Number));

test("each server of each plotted workload has a bar proportional to its ratio", () => {
  const widths = numbers(plotOf(exampleReport), /<rect class="\w+" x="[\d.]+" y="[\d.]+" width="([\d.]+)"/g);
  expect(widths).toHaveLength(12);
  const [[fast = 0] = [], [raw = 0] = [], [fastify = 0] = []] = widths;
  expect(fast / raw).toBeCloseTo(1.8, 1);
  expect(fastify / raw).toBeCloseTo(0.9, 1);
});

test("each interval is a line with a mark at each end", () => {
  const spans = numbers(plotOf(exampleReport), /<line class="span" x1="([\d.]+)" y1="[\d.]+" x2="([\d.]+)"/g);
  expect(spans).toHaveLength(12 * 3); // the line and its two ends
  const [[low = 0, high = 0] = []] = spans;
  expect(high).toBeGreaterThan(low);
});

test("titles, axes and the machine are present, and text is escaped", () => {
  const svg = plotOf(exampleReport);
  expect(svg).toContain(">GET param, validated<");
  expect(svg).toContain(">ratio to raw node:http, CPU time<");
  expect(svg).toContain("Example &amp; Sons");
  expect(svg).toContain("prefers-color-scheme: dark");
  expect(svg).toMatch(/^<svg [^>]+>[\s\S]+<\/svg>\n$/);
});

test("the plot of a report without results has no panels", () => {
  expect(plotOf({ ...exampleReport, cells: [] })).not.toContain("<rect");
});
