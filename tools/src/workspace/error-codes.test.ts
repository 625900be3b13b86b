import { expect, test } from "@jest/globals";
import { root } from "../root.ts";
import {
  foreignCodesExist,
  catalogueOf,
  type CodeRule,
  readmeListsCodes,
  usedCodesAreCatalogued,
} from "./error-codes.ts";
import { readWorkspace, type WorkspacePackage } from "./read-workspace.ts";

const catalogue = `import type { ErrorCatalogue } from "@framework/core/feature";

/** The error codes of this package. */
export const rateLimitErrors: ErrorCatalogue = {
  RATE_LIMIT_EXCEEDED: {
    status: 429,
    summary: "no request remains",
    action: "retry later",
  },
};
`;
const row = "| `RATE_LIMIT_EXCEEDED` | 429: no request remains | retry later |";

const limiter = (files: Readonly<Record<string, string>> = {}): WorkspacePackage => ({
  folder: "packages/rate-limit",
  manifest: { name: "@framework/rate-limit" },
  references: [],
  files: new Map(
    Object.entries({
      "README.md": row.replace("retry later |", "retry later     |"),
      "src/index.ts": 'export { rateLimitErrors } from "./error-codes.ts";',
      "src/error-codes.ts": catalogue,
      "src/limit.ts": 'throw new RateLimitError(1, "", { code: "RATE_LIMIT_EXCEEDED" });',
      ...files,
    }),
  ),
});

const known = new Set(["RATE_LIMIT_EXCEEDED", "CORE_BAD_CONFIG"]);
const rules: Record<string, CodeRule> = { usedCodesAreCatalogued, foreignCodesExist, readmeListsCodes };

test.each(Object.entries(rules))("%s accepts a valid package", (_name, rule) => {
  expect(rule(limiter(), known)).toEqual([]);
});

test("a code that is missing from the catalogue is reported", () => {
  const pkg = limiter({ "src/a.ts": 'new FrameworkError("RATE_LIMIT_LOST", "")' });
  expect(usedCodesAreCatalogued(pkg, known)).toEqual(["RATE_LIMIT_LOST is not in error-codes.ts"]);
});

test("an unused code, and a catalogue that is not exported, are reported", () => {
  expect(usedCodesAreCatalogued(limiter({ "src/limit.ts": "", "src/index.ts": "" }), known)).toEqual([
    "RATE_LIMIT_EXCEEDED of error-codes.ts is not used",
    "neither index.ts nor feature.ts exports the codes of error-codes.ts",
  ]);
});

test("tests may use invented codes", () => {
  expect(usedCodesAreCatalogued(limiter({ "src/a.test.ts": '"RATE_LIMIT_LOST"' }), known)).toEqual([]);
});

test("a nonexistent code of another package is reported", () => {
  const pkg = limiter({ "src/a.ts": '"CORE_BAD_CONFIG" "CORE_LOST"' });
  expect(foreignCodesExist(pkg, known)).toEqual(["CORE_LOST is not in any error-codes.ts"]);
});

test("the table may be in a page of the docs folder", () => {
  const pkg = limiter({ "README.md": "", "docs/error-codes.md": row });
  expect(readmeListsCodes(pkg, known)).toEqual([]);
});

test("a README with different text, or an unknown code, is reported", () => {
  const readme = "| `RATE_LIMIT_EXCEEDED` | 429 | retry later |\n| `CORE_LOST` | never | nothing |";
  expect(readmeListsCodes(limiter({ "README.md": readme }), known)).toEqual([
    "the documents list CORE_LOST, which does not exist",
    `the documents lack the row ${row}`,
  ]);
});

const packages = readWorkspace(root).filter(({ folder }) => folder.startsWith("packages/"));
const all = new Set(packages.flatMap((pkg) => Object.keys(catalogueOf(pkg))));

test.each(Object.entries(rules))("in every package %s", (_name, rule) => {
  expect(all.size).toBeGreaterThan(100);
  const problems = packages.flatMap((pkg) => rule(pkg, all).map((problem) => `${pkg.folder}: ${problem}`));
  expect(problems).toEqual([]);
});
