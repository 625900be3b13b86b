import { expect, test } from "@jest/globals";
import { root } from "../root.ts";
import { readWorkspace, strayFolders } from "./read-workspace.ts";
import * as rules from "./rules.ts";

const packages = readWorkspace(root);

test("core is among the packages that are checked", () => {
  expect(packages.map(({ folder }) => folder)).toContain("packages/core");
});

/** `importsAreDeclared` as words. */
const facts = Object.entries(rules).map(([name, rule]) => ({ fact: spaced(name), rule }));

test.each(facts)("in every package $fact", ({ rule }) => {
  const problems = packages.flatMap((pkg) => rule(pkg).map((problem) => `${pkg.folder}: ${problem}`));
  expect(problems).toEqual([]);
});

test("every folder with sources is a package", () => {
  expect(strayFolders(root)).toEqual([]);
});

function spaced(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
}
