import { readdirSync, readFileSync } from "node:fs";
import { expect, test } from "@jest/globals";
import { SqsConfig, sqsErrors } from "./index.ts";

const readme = readFileSync(new URL("../README.md", import.meta.url), "utf8");
const rowsUnder = (heading: string): readonly (readonly string[])[] =>
  (readme.split(`## ${heading}\n\n`)[1]?.split("\n\n")[0] ?? "")
    .split("\n")
    .slice(2)
    .filter((line) => line.startsWith("|"))
    .map((line) => line.split(/ +\| +|^\| +| +\|$/).slice(1, -1));

test("the README's table has every option with its default", () => {
  const documented = rowsUnder("Options").map(([name = "", , value = ""]) => [
    name.replaceAll("`", ""),
    value === "–" ? undefined : (JSON.parse(value.replaceAll("`", "")) as unknown),
  ]);
  expect(Object.fromEntries(documented)).toEqual(SqsConfig.of());
});

test("the README's error codes are those of the package, with the same text", () => {
  const documented = rowsUnder("Errors").map(([code = "", summary, action]) => [
    code.replaceAll("`", ""),
    { summary, action },
  ]);
  expect(Object.fromEntries(documented)).toEqual(sqsErrors);
});

test("every row of what happens when something dies has its test", () => {
  const folder = new URL(".", import.meta.url);
  const sources = readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".test.ts") && name !== "readme.test.ts")
    .map((name) => readFileSync(new URL(name, folder), "utf8"))
    .join("\n");
  const tests = rowsUnder("What happens when something dies").map(([, , name = ""]) => name);
  expect(tests.length).toBeGreaterThan(10);
  expect(tests.filter((name) => !sources.includes(name))).toEqual([]);
});
