import { globSync, readFileSync } from "node:fs";
import { expect, test } from "@jest/globals";
import { jobsErrors } from "./index.ts";

const readme = readFileSync(new URL("../README.md", import.meta.url), "utf8");
const read = (path: string): string => readFileSync(new URL(path, import.meta.url), "utf8");
const rowsUnder = (heading: string): readonly (readonly string[])[] =>
  (readme.split(`## ${heading}\n\n`)[1]?.split("\n\n")[0] ?? "")
    .split("\n")
    .slice(2)
    .map((line) => line.split(/ +\| +|^\| +| +\|$/).slice(1, -1));

test("the README's error codes are those of the package, with the same text", () => {
  const documented = rowsUnder("Errors").map(([code = "", summary, action]) => [
    code.replaceAll("`", ""),
    { summary, action },
  ]);
  expect(Object.fromEntries(documented)).toEqual(jobsErrors);
  const thrown = globSync("**/*.ts", { cwd: import.meta.dirname })
    .filter((path) => !/\.test(-kit|-program|-d)?\.ts$/.test(path) && path !== "error-codes.ts")
    .flatMap((path) => Array.from(read(`./${path}`).matchAll(/"(JOBS_[A-Z_]+)"/g), ([, code]) => code));
  expect(new Set(thrown)).toEqual(new Set(Object.keys(jobsErrors)));
});

test("the README has every option of a job", () => {
  const [, text = ""] = read("./job/job-options.ts").split("export interface JobOptions<");
  const options = Array.from(
    (text.split("\n}\n")[0] ?? "").matchAll(/^ {2}readonly (\w+)\?:/gm),
    ([, name]) => name,
  );
  expect(rowsUnder("Jobs").map(([name = ""]) => name.replaceAll("`", ""))).toEqual(options);
});

test("every test that the README names exists", () => {
  const files = globSync("**/*.{test-kit,test}.ts", { cwd: import.meta.dirname });
  const kits = files.map((file) => read(`./${file}`)).join("\n");
  const rows = rowsUnder("What happens when something dies").map(([, , names = ""]) => names);
  expect(rows.length).toBe(12);
  for (const names of rows) {
    const named = Array.from(names.matchAll(/"([^"]+)"/g), ([, name = ""]) => name);
    expect(named).not.toEqual([]);
    for (const name of named) expect(kits).toContain(name);
  }
});
