import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
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

/** Writes `latest.json` and `latest.svg`, or `partial.*` for a partial run, and with `--write` the README's tables. */
export const saveReport = (report: Report, { out, partial, write }: Options): void => {
  const folder = out ?? join(bench, "results");
  const name = partial && out === null ? "partial" : "latest";
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, `${name}.json`), `${JSON.stringify(rounded(report), null, 2)}\n`);
  writeFileSync(join(folder, `${name}.svg`), plotOf(report));
  console.log(`\nwritten: ${join(folder, name)}.json and .svg`);
  if (!write) return;
  const readme = join(bench, "README.md");
  writeFileSync(readme, withBlock(readFileSync(readme, "utf8"), blockOf(report)));
  console.log(`written: ${readme}`);
};

/** Rounds numbers to five significant digits: the measurements are not more precise. */
const rounded = (report: Report): unknown =>
  JSON.parse(JSON.stringify(report), (_key, value: unknown) =>
    typeof value === "number" && !Number.isInteger(value) ? Number(value.toPrecision(5)) : value,
  );
