import { expect, test } from "@jest/globals";
import { root } from "../root.ts";
import { namedTestsExist } from "./named-tests.ts";
import { readWorkspace, type WorkspacePackage } from "./read-workspace.ts";

const packageOf = (folder: string, files: Readonly<Record<string, string>>): WorkspacePackage => ({
  folder,
  manifest: { name: folder },
  references: [],
  files: new Map(Object.entries(files)),
});

const contract = packageOf("packages/queue", {
  "src/contract/stop-facts.ts": 'test("nothing is lost at a stop")',
  "src/faults.test.ts": 'test("nothing is lost in a fault")',
});

/** Problems of a package whose README names these tests in a row each, and that has one test. */
const problemsOf = (...cells: readonly string[]): readonly string[] => {
  const rows = cells.map((cell) => `| a process | it waits | ${cell} |\n`);
  const readme = `| What dies | Then | Test |\n| --- | --- | ---- |\n${rows.join("")}\n| Option |\n| --- |\n| a |\n`;
  const pkg = packageOf("packages/kafka", {
    "README.md": readme,
    "src/killed.test.ts": 'test("what a killed process held is delivered again")',
  });
  return namedTestsExist(pkg, [pkg, contract]);
};

test("a row may name a test of the package, one of a shared suite, the beginning of a name, or a file", () => {
  expect(
    problemsOf(
      '"what a killed process held is delivered again"',
      '"nothing is lost at a stop"',
      '"what a killed process held …"',
      "`killed.test.ts`, `queue/src/faults.test.ts`",
    ),
  ).toEqual([]);
});

test("names of tests and files that do not exist are reported, and rows without a test", () => {
  expect(problemsOf('"nothing is lost in a fault"', "`faults.test.ts`", "by hand")).toEqual([
    'no test is called "nothing is lost in a fault"',
    "there is no test file faults.test.ts",
    "a row of the README names no test, but by hand",
  ]);
});

test("every test that a README names exists", () => {
  const packages = readWorkspace(root);
  const problems = packages.flatMap((pkg) =>
    namedTestsExist(pkg, packages).map((problem) => `${pkg.folder}: ${problem}`),
  );
  expect(problems).toEqual([]);
});
