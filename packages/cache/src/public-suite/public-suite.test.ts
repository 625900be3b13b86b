import { readFileSync } from "node:fs";
import { beforeAll, expect, test } from "@jest/globals";
import { editionIn, runSuite, type Verdict } from "./run-suite.test-kit.ts";
import { countPassed, differences, expectedFailures } from "./unmet.test-kit.ts";

const readme = readFileSync(new URL("../../README.md", import.meta.url), "utf8");
let verdicts: readonly Verdict[] = [];

beforeAll(async () => {
  verdicts = await runSuite(editionIn());
});

test("the cache fails exactly the listed tests of the public suite", () => {
  expect(differences("npm", verdicts)).toEqual([]);
  expect(verdicts.length).toBeGreaterThan(300);
});

test("the README has the numbers of the suite", () => {
  const [, required = "", optimal = ""] =
    /^\| npm 0\.4\.5 +\| (\d+ of \d+) +\| (\d+ of \d+)/m.exec(readme) ?? [];
  expect([required, optimal]).toEqual([countPassed(verdicts, "required"), countPassed(verdicts, "optimal")]);
});

test("the README has every test that the cache fails, with the reason", () => {
  const [, section = ""] = /\n## Public test suite\n(.*?)\n## /s.exec(readme) ?? [];
  const rows = Array.from(section.matchAll(/^\| `(.*?)` +\| (.*?) +\| (.*?) +\|$/gm), (row) => row.slice(1));
  expect(rows).toEqual(expectedFailures.map(({ tests, only = "both", reason }) => [tests, only, reason]));
});

test("a listed test that passes and an unlisted one that fails are reported", () => {
  const [first, ...others] = verdicts.filter(({ kind, failure }) => kind === "required" && failure === null);
  const listed = "other-cookie";
  const changed = [{ ...first, failure: "broken" } as Verdict, ...others];
  const found = differences("npm", changed);
  expect(found).toContain(`${first?.id} fails: broken`);
  expect(found).toContain(`${listed} is listed but passes, or does not exist`);
});
