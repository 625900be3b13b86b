import { titleOf } from "./contenders.ts";
import type { Report } from "./report.ts";
import { type Table, tablesOf } from "./tables.ts";

/** Markers in the README around the tables of the last run. */
export const markers = { begin: "<!-- bench:begin -->", end: "<!-- bench:end -->" } as const;

/** A table in Markdown, its columns padded as the formatter pads them. */
export const toMarkdown = ({ heads, rows }: Omit<Table, "title">): string => {
  const widths = heads.map((head, column) =>
    Math.max(3, ...[head, ...rows.map((row) => row[column] ?? "")].map(({ length }) => length)),
  );
  const line = (cells: readonly string[]): string =>
    `| ${widths.map((width, column) => padded(cells[column] ?? "", width, column)).join(" | ")} |`;
  const rule = widths.map((width, column) =>
    column === 0 ? "-".repeat(width) : `${"-".repeat(width - 1)}:`,
  );
  return [line(heads), `| ${rule.join(" | ")} |`, ...rows.map(line)].join("\n");
};

const padded = (text: string, width: number, column: number): string =>
  column === 0 ? text.padEnd(width) : text.padStart(width);

/** The text between the markers: machine and date, then every table. */
export const blockOf = (report: Report): string => {
  const { date, machine, versions, rounds, promisedRounds, fleets, warmUp, seconds, quick, command } = report;
  const { node, v8: _, ...peers } = versions;
  const facts =
    `${date.slice(0, 10)}, \`${command}\`, ${(seconds / 60).toFixed(0)} min. Node ${node}, ${machine.system}, ${machine.cores} cores (${machine.cpu}), ` +
    `${machine.pinned ? "servers and client each pinned to a core" : "nothing pinned"}${steal(machine.steal)}. ` +
    `n = ${rounds} rounds, ${promisedRounds} for workloads with a gate, with ${Math.min(fleets, rounds)} starts of all servers, after ${warmUp} warm-up requests; medians with 95 % intervals.` +
    (quick ? " A quick run: not for publishing." : "");
  const releases = Object.entries(peers).map(([name, version]) => `${titleOf(name)} ${version}`);
  const tables = tablesOf(report).map((table) => `**${table.title}**\n\n${toMarkdown(table)}`);
  return [facts, releases.length > 0 ? `Releases: ${releases.join(", ")}.` : "", ...tables]
    .filter((part) => part !== "")
    .join("\n\n");
};

const steal = (share: number | null): string =>
  share === null ? "" : `, ${(share * 100).toFixed(1)} % of the time taken by the host`;

/** A text with the block between its markers replaced. @throws when the markers are missing */
export const withBlock = (text: string, block: string): string => {
  const [begin, end] = [text.indexOf(markers.begin), text.indexOf(markers.end)];
  if (begin < 0 || end < begin) throw new Error(`the README has no ${markers.begin} … ${markers.end}`);
  return `${text.slice(0, begin)}${markers.begin}\n\n${block}\n\n${text.slice(end)}`;
};
