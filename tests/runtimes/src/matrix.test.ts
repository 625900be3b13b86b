import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "@jest/globals";
import { rows, service } from "./rows.test-kit.ts";
import { type Runtime, runtimes, serve } from "./runtimes.test-kit.ts";

const LIMIT_MS = 300_000;
const readme = readFileSync(join(import.meta.dirname, "../../../README.md"), "utf8");
/** The runtime that a CI job tests; all runtimes without the variable. */
const chosen = process.env["FRAMEWORK_RUNTIME"];
const tested = runtimes().filter(({ name }) => chosen === undefined || name.toLowerCase() === chosen);

/** Reads the column of a runtime in the README's matrix, by row. */
const readColumn = (runtime: string): Record<string, string> => {
  const table = readme.slice(readme.indexOf("## Runtimes")).split("\n## ", 2).join("");
  const [head = [], , ...body] = table
    .split("\n")
    .filter((line) => line.startsWith("|"))
    .map((line) =>
      line
        .split("|")
        .slice(1, -1)
        .map((cell) => cell.trim()),
    );
  const column = head.findIndex((cell) => cell.startsWith(runtime));
  return Object.fromEntries(body.map((cells) => [cells[0], cells[column]]));
};

/** Runs every row; returns the error message of each, or `null` if it passes. */
const runRows = async (runtime: Runtime): Promise<Record<string, string | null>> => {
  await using program = await serve(runtime, service);
  const failures: Record<string, string | null> = {};
  for (const [name, row] of Object.entries(rows))
    failures[name] = await row(runtime, program).then(
      () => null,
      (error: Error) => error.message,
    );
  return failures;
};

test.each(tested)(
  "$title supports exactly the rows that the README's matrix lists as supported",
  async (runtime) => {
    const documented = readColumn(runtime.name);
    expect(Object.keys(documented)).toEqual(Object.keys(rows));
    const failures = Object.entries(await runRows(runtime));
    expect(failures.filter(([name, reason]) => reason !== null && documented[name] === "yes")).toEqual([]);
    const found = failures.map(([name, reason]) => [name, reason === null ? "yes" : "no"]);
    expect(Object.fromEntries(found)).toEqual(documented);
  },
  LIMIT_MS,
);
