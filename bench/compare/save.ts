import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gate, printTable } from "../measure/report.ts";
import { blockOf, withBlock } from "./markdown.ts";
import type { Options } from "./options.ts";
import { plotOf } from "./plot.ts";
import type { Report } from "./report.ts";
import { tablesOf } from "./tables.ts";

const bench = join(import.meta.dirname, "..");

/** Prints every table and each measured gate; a failed gate sets the exit code. */
export const printReport = (report: Report): void => {
  console.log("");
  for (const { title, heads, rows } of tablesOf(report)) {
    console.log(`${title}\n`);
    printTable(heads, rows);
  }
  for (const { name, ratio, direction, must, pass } of report.gates) {
    if (pass === null) continue;
    gate(pass, `${name}: ${ratio?.toFixed(2)}, ${direction === "min" ? "at least" : "at most"} ${must}`);
  }
};

/**
 * Writes `latest.json` and `latest.svg`, or `partial.*` for a quick or partial run. A full run first renames the earlier `latest.json` to
 * `previous.json`, so that runs are compared only with full ones. If `write` is set, which it always is for a full run, writes the tables, compared
 * with `previous.json`, to comparison.md.
 */
export const saveReport = (report: Report, { out, partial, quick, write }: Options): void => {
  const folder = out ?? join(bench, "results");
  const isFull = !partial && !quick;
  const name = isFull ? "latest" : "partial";
  const file = join(folder, `${name}.json`);
  const earlier = join(folder, "previous.json");
  mkdirSync(folder, { recursive: true });
  if (isFull && existsSync(file)) renameSync(file, earlier);
  writeFileSync(file, `${JSON.stringify(rounded(report), null, 2)}\n`);
  writeFileSync(join(folder, `${name}.svg`), plotOf(report));
  console.log(`\nwritten: ${join(folder, name)}.json and .svg`);
  if (!write) return;
  const before = existsSync(earlier) ? (JSON.parse(readFileSync(earlier, "utf8")) as Report) : null;
  const page = join(bench, "comparison.md");
  writeFileSync(page, withBlock(readFileSync(page, "utf8"), blockOf(report, before)));
  console.log(`written: ${page}`);
};

/** Rounds numbers to five significant digits: the measurements are not more precise. */
const rounded = (report: Report): unknown =>
  JSON.parse(JSON.stringify(report), (_key, value: unknown) =>
    typeof value === "number" && !Number.isInteger(value) ? Number(value.toPrecision(5)) : value,
  );
