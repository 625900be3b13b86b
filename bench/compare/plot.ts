import type { Cell, Report } from "./report.ts";
import { titleOf } from "./contenders.ts";
import { workloads } from "../workloads/workloads.ts";

const WIDTH = 920;
const LABEL_WIDTH = 192;
const MARGIN = 12;
const GAP = 28;
const BAR_HEIGHT = 13;
const STEP = 20;
const HEAD_HEIGHT = 34;
const panelWidth = (WIDTH - 2 * MARGIN - GAP) / 2;
/** Workloads of the plot: four panels, two per row. */
const shownWorkloads = ["json", "param", "echo", "mw5"];

/**
 * Draws CPU time as a ratio to raw, as SVG: one panel per workload, one bar per server, its interval as a line. The colours follow
 * the reader's light or dark scheme; the background is transparent.
 */
export const plotOf = (report: Report): string => {
  const panels = shownWorkloads
    .map((workload) => report.cells.filter((cell) => cell.workload === workload && cell.ratioToRaw !== null))
    .filter((cells) => cells.length > 0);
  const longest = Math.max(0, ...panels.map((cells) => cells.length));
  const panelHeight = HEAD_HEIGHT + longest * STEP + 40;
  const height = 64 + Math.ceil(panels.length / 2) * (panelHeight + 14) + 8;
  const highest = Math.max(1, ...panels.flat().map((cell) => cell.ratioToRaw?.high ?? 0));
  const drawn = panels.map((cells, index) => {
    const x = MARGIN + (index % 2) * (panelWidth + GAP);
    const y = 64 + Math.floor(index / 2) * (panelHeight + 14);
    return `<g transform="translate(${x} ${y})">${panel(cells, highest, longest)}</g>`;
  });
  const subtitle =
    `Node ${report.versions["node"]}, ${report.machine.cpu}, ${report.rounds} rounds, ${report.date.slice(0, 10)}` +
    (report.quick ? ", quick run" : "");
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" width="${WIDTH}" height="${height}" role="img" ` +
      `aria-label="CPU time of raw node:http divided by that of each server">`,
    `<style>${STYLE}</style>`,
    text(MARGIN, 20, "title", "Requests per CPU time, relative to raw node:http"),
    text(MARGIN, 42, "note", `longer is better; line: 95 % interval of the median; ${subtitle}`),
    ...drawn,
    "</svg>\n",
  ].join("\n");
};

const STYLE = `
text { font: 12px system-ui, -apple-system, "Segoe UI", sans-serif; fill: #57606a; }
.title { font-size: 16px; font-weight: 600; } .head { font-size: 13px; font-weight: 600; }
.label, .tick, .value { font-size: 11px; } .note { font-size: 12px; }
.label { text-anchor: end; } .tick, .axis { text-anchor: middle; } .axis { font-size: 11px; }
.own { fill: #0a7ea4; } .peer { fill: #9aa5b1; } .base { fill: #c29a4b; }
.grid { stroke: #8b949e; stroke-opacity: 0.3; } .one { stroke: #8b949e; stroke-dasharray: 4 3; } .span { stroke: #24292f; stroke-width: 1.4; }
@media (prefers-color-scheme: dark) {
  text { fill: #adbac7; } .own { fill: #39b3d7; } .peer { fill: #6b7785; } .span { stroke: #e6edf3; }
}
`;

const panel = (cells: readonly Cell[], highest: number, longest: number): string => {
  const plotWidth = panelWidth - LABEL_WIDTH - 34;
  const scale = (ratio: number): number => LABEL_WIDTH + (ratio / highest) * plotWidth;
  const bottom = HEAD_HEIGHT + longest * STEP;
  const title = workloads.find(({ name }) => name === cells[0]?.workload)?.title ?? "";
  const sorted = cells.toSorted((a, b) => (b.ratioToRaw?.median ?? 0) - (a.ratioToRaw?.median ?? 0));
  return [
    text(LABEL_WIDTH, 16, "head", title),
    ...ticksTo(highest).map(
      (tick) =>
        line(scale(tick), HEAD_HEIGHT - 8, scale(tick), bottom, tick === 1 ? "one" : "grid") +
        text(scale(tick), bottom + 14, "tick", String(tick)),
    ),
    text(LABEL_WIDTH + plotWidth / 2, bottom + 30, "axis", "ratio to raw node:http, CPU time"),
    ...sorted.map((cell, row) => bar(cell, HEAD_HEIGHT + row * STEP, scale)),
  ].join("\n");
};

const bar = ({ server, ratioToRaw }: Cell, y: number, scale: (ratio: number) => number): string => {
  if (ratioToRaw === null) return "";
  const { median, low, high } = ratioToRaw;
  const middle = y + BAR_HEIGHT / 2;
  const end = Math.max(scale(high), scale(median)) + 5;
  return (
    text(LABEL_WIDTH - 6, y + 10, "label", titleOf(server)) +
    `<rect class="${kindOf(server)}" x="${LABEL_WIDTH}" y="${y}" width="${fixed(scale(median) - LABEL_WIDTH)}" height="${BAR_HEIGHT}" rx="2"/>` +
    line(scale(low), middle, scale(high), middle, "span") +
    line(scale(low), middle - 3, scale(low), middle + 3, "span") +
    line(scale(high), middle - 3, scale(high), middle + 3, "span") +
    text(end, y + 10, "value", median.toFixed(2))
  );
};

const kindOf = (server: string): string =>
  ["fast", "node", "async"].includes(server) ? "own" : ["raw", "tuned"].includes(server) ? "base" : "peer";

const ticksTo = (highest: number): number[] => {
  const every = highest > 5 ? 2 : highest > 2.5 ? 1 : 0.5;
  return Array.from({ length: Math.floor(highest / every) + 1 }, (_, index) => index * every);
};

const fixed = (value: number): string => value.toFixed(1);

const line = (x1: number, y1: number, x2: number, y2: number, kind: string): string =>
  `<line class="${kind}" x1="${fixed(x1)}" y1="${fixed(y1)}" x2="${fixed(x2)}" y2="${fixed(y2)}"/>`;

const escapes: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };

const text = (x: number, y: number, kind: string, content: string): string =>
  `<text class="${kind}" x="${fixed(x)}" y="${fixed(y)}">${content.replace(/[&<>"]/g, (sign) => escapes[sign] ?? "")}</text>`;
