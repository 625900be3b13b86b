import { titleOf } from "./contenders.ts";
import type { Report } from "./report.ts";
import { type Table, tablesOf } from "./tables.ts";

/** Markers in the page around the tables of the last run. */
export const markers = { begin: "<!-- bench:begin -->", end: "<!-- bench:end -->" } as const;

/** Formats a table as Markdown, with columns padded like the formatter does. */
export const toMarkdown = ({ heads, texts = [], rows }: Omit<Table, "title">): string => {
  const isText = (column: number): boolean => column === 0 || texts.includes(column);
  const widths = heads.map((head, column) =>
    Math.max(3, ...[head, ...rows.map((row) => row[column] ?? "")].map(({ length }) => length)),
  );
  const line = (cells: readonly string[]): string =>
    `| ${widths.map((width, column) => padded(cells[column] ?? "", width, isText(column))).join(" | ")} |`;
  const rule = widths.map((width, column) =>
    isText(column) ? "-".repeat(width) : `${"-".repeat(width - 1)}:`,
  );
  return [line(heads), `| ${rule.join(" | ")} |`, ...rows.map(line)].join("\n");
};

const padded = (text: string, width: number, isText: boolean): string =>
  isText ? text.padEnd(width) : text.padStart(width);

/** Returns the text between the markers: machine and date of both runs, then every table. */
export const blockOf = (report: Report, before: Report | null = null): string => {
  const { node: _node, v8: _, ...peers } = report.versions;
  const releases = Object.entries(peers).map(([name, version]) => `${titleOf(name)} ${version}`);
  const tables = tablesOf(report, before).map((table) => `**${table.title}**\n\n${toMarkdown(table)}`);
  return [
    describeRun(report),
    before === null ? "" : `Previous run: ${describeRun(before)}`,
    releases.length > 0 ? `Releases: ${releases.join(", ")}.` : "",
    ...tables,
  ]
    .filter((part) => part !== "")
    .join("\n\n");
};

const describeRun = ({
  date,
  machine,
  versions,
  rounds,
  promisedRounds,
  fleets,
  warmUp,
  gatedWarmUp,
  seconds,
  quick,
  command,
}: Report): string =>
  `${date.slice(0, 10)}, \`${command}\`, ${(seconds / 60).toFixed(0)} min. Node ${versions["node"]}, ${machine.system}, ${machine.cores} cores (${machine.cpu}), ` +
  `${machine.pinned ? "servers and client each pinned to a core" : "nothing pinned"}${steal(machine.steal)}. ` +
  `n = ${rounds} rounds, ${promisedRounds} for workloads with a gate relative to raw, with ${Math.min(fleets, rounds)} starts of all servers, after ${warmUp} warm-up requests, ${gatedWarmUp} for workloads with a gate; ` +
  `half of the rounds and starts for rows with separate servers; medians with 95 % intervals.` +
  (quick ? " A quick run: not for publishing." : "");

const steal = (share: number | null): string =>
  share === null ? "" : `, steal time ${(share * 100).toFixed(1)} %`;

/** Replaces the text between the markers. @throws when the markers are missing */
export const withBlock = (text: string, block: string): string => {
  const [begin, end] = [text.indexOf(markers.begin), text.indexOf(markers.end)];
  if (begin < 0 || end < begin) throw new Error(`the page has no ${markers.begin} … ${markers.end}`);
  return `${text.slice(0, begin)}${markers.begin}\n\n${block}\n\n${text.slice(end)}`;
};
