import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "@jest/globals";
import { root } from "../root.ts";
import { readWorkspace, strayFolders } from "./read-workspace.ts";
import * as rules from "./rules.ts";

const packages = readWorkspace(root);

test("core is one of the checked packages", () => {
  expect(packages.map(({ folder }) => folder)).toContain("packages/core");
});

/** Rules with their names as text, such as `imports are declared`. */
const facts = Object.entries(rules).map(([name, rule]) => ({ fact: spaced(name), rule }));

test.each(facts)("in every package $fact", ({ rule }) => {
  const problems = packages.flatMap((pkg) => rule(pkg).map((problem) => `${pkg.folder}: ${problem}`));
  expect(problems).toEqual([]);
});

test("every folder with sources is a package", () => {
  expect(strayFolders(root)).toEqual([]);
});

test("the tools' tests, which pack every published package, wait for all builds", () => {
  const { tasks } = JSON.parse(readFileSync(join(root, "tools/turbo.json"), "utf8"));
  const published = packages.filter(({ manifest }) => manifest.private !== true);
  expect(tasks.test.dependsOn).toEqual([
    "transit",
    ...published.map(({ manifest }) => `${manifest.name}#build`),
  ]);
});

function spaced(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
}
