import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "@jest/globals";
import { rows, service } from "./rows.test-kit.ts";
import { type Runtime, runtimes, serve } from "./runtimes.test-kit.ts";

const LIMIT_MS = 300_000;
const readme = readFileSync(join(import.meta.dirname, "../../../README.md"), "utf8");
/** With the variable, the runtime that a job of CI tests; else all. */
const chosen = process.env["FRAMEWORK_RUNTIME"];
const tested = runtimes().filter(({ name }) => chosen === undefined || name.toLowerCase() === chosen);

/** The cells of the README's matrix for a runtime, by row. */
const promised = (runtime: string): Record<string, string> => {
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

/** Runs every row; `null`, or why the runtime does not do it. */
const failuresOf = async (runtime: Runtime): Promise<Record<string, string | null>> => {
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
  "$title does what the README's matrix says, and nothing that it denies",
  async (runtime) => {
    const said = promised(runtime.name);
    expect(Object.keys(said)).toEqual(Object.keys(rows));
    const failures = Object.entries(await failuresOf(runtime));
    expect(failures.filter(([name, reason]) => reason !== null && said[name] === "yes")).toEqual([]);
    const found = failures.map(([name, reason]) => [name, reason === null ? "yes" : "no"]);
    expect(Object.fromEntries(found)).toEqual(said);
  },
  LIMIT_MS,
);
