import { readFileSync } from "node:fs";
import { expect, test } from "@jest/globals";

const readme = readFileSync(new URL("../README.md", import.meta.url), "utf8");
const read = (path: string): string => readFileSync(new URL(path, import.meta.url), "utf8");
const rowsUnder = (heading: string): readonly (readonly string[])[] =>
  (readme.split(`## ${heading}\n\n`)[1]?.split("\n\n")[0] ?? "")
    .split("\n")
    .slice(2)
    .map((line) => line.split(/ +\| +|^\| +| +\|$/).slice(1, -1));

test("the README has every option of a job", () => {
  const [, text = ""] = read("./job/job-options.ts").split("export interface JobOptions<");
  const options = Array.from(
    (text.split("\n}\n")[0] ?? "").matchAll(/^ {2}readonly (\w+)\?:/gm),
    ([, name]) => name,
  );
  expect(rowsUnder("Jobs").map(([name = ""]) => name.replaceAll("`", ""))).toEqual(options);
});
