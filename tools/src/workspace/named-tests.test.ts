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
  "src/contract/stop-facts.ts": 'test("no message is lost at a stop")',
  "src/faults.test.ts": 'test("no message is lost in a fault")',
});

/** Returns the problems of a package with one test, whose README names these tests in one row each. */
const problemsOf = (...cells: readonly string[]): readonly string[] => {
  const rows = cells.map((cell) => `| a process | it waits | ${cell} |\n`);
  const readme = `| What dies | Then | Test |\n| --- | --- | ---- |\n${rows.join("")}\n| Option |\n| --- |\n| a |\n`;
  const pkg = packageOf("packages/kafka", {
    "README.md": readme,
    "src/killed.test.ts": 'test("messages of a killed process are redelivered")',
  });
  return namedTestsExist(pkg, [pkg, contract]);
};

test("a row may name a test of the package, one of a shared suite, the beginning of a name, or a file", () => {
  expect(
    problemsOf(
      '"messages of a killed process are redelivered"',
      '"no message is lost at a stop"',
      '"messages of a killed process …"',
      "`killed.test.ts`, `queue/src/faults.test.ts`",
    ),
  ).toEqual([]);
});

test("nonexistent tests and files, and rows without a test, are reported", () => {
  expect(problemsOf('"no message is lost in a fault"', "`faults.test.ts`", "by hand")).toEqual([
    'no test is called "no message is lost in a fault"',
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
