import type { WorkspacePackage } from "./read-workspace.ts";

const cellsOf = (line: string): readonly string[] =>
  line
    .slice(1, -1)
    .split("|")
    .map((cell) => cell.trim());

/** Returns the cells of the last column of tables whose last heading is "Test". */
const testCells = (text: string): readonly string[] =>
  text
    .split(/\n(?!\|)/)
    .map((block) => block.split("\n").filter((line) => line.startsWith("|")))
    .filter(([head = ""]) => /^Tests?$/.test(cellsOf(head).at(-1) ?? ""))
    .flatMap(([, , ...rows]) => rows.map((row) => cellsOf(row).at(-1) ?? ""));

const isTest = (path: string): boolean => /\.test(-kit)?\.ts$|-(contract|facts)\.ts$/.test(path);

/** Returns the tests of a package and the shared suites, by path from the root. */
const testsOf = (
  pkg: WorkspacePackage,
  packages: readonly WorkspacePackage[],
): (readonly [string, string])[] =>
  packages.flatMap((each) =>
    Array.from(each.files, ([path, code]) => [`${each.folder}/${path}`, code] as const).filter(
      ([path]) => isTest(path) && (each === pkg || !path.endsWith(".test.ts")),
    ),
  );

/** Each row of a README table with a column "Test" names existing tests, in quotes (`…` ends a shortened name) or by file. */
export const namedTestsExist = (
  pkg: WorkspacePackage,
  packages: readonly WorkspacePackage[],
): readonly string[] => {
  const cells = testCells(pkg.files.get("README.md") ?? "");
  if (cells.length === 0) return [];
  const tests = testsOf(pkg, packages);
  const paths = packages.flatMap((each) => [...each.files.keys()].map((path) => `${each.folder}/${path}`));
  const text = tests.map(([, code]) => code).join("\n");
  const isOwn = (path: string, file: string): boolean =>
    path.startsWith(`${pkg.folder}/`) && path.endsWith(`/${file}`);
  return cells.flatMap((cell) => {
    const names = Array.from(cell.matchAll(/"([^"]+?)( …)?"/g), ([, name = ""]) => name);
    const files = Array.from(cell.matchAll(/`([^`]+\.ts)`/g), ([, file = ""]) => file);
    if (names.length + files.length === 0) return [`a row of the README names no test, but ${cell}`];
    return [
      ...names.filter((name) => !text.includes(name)).map((name) => `no test is called "${name}"`),
      ...files
        .filter((file) => !paths.some((path) => path === `packages/${file}` || isOwn(path, file)))
        .map((file) => `there is no test file ${file}`),
    ];
  });
};
