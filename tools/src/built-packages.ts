import { globSync } from "node:fs";
import { dirname, join } from "node:path";
import { runTool } from "./run-node.ts";

const projects = (root: string): string[] => globSync("packages/*/tsconfig.json", { cwd: root }).sort();

/** Whether turbo runs this process. Then all packages are built, because `turbo.json` requires it before the tests. */
const isTurboTask = process.env["TURBO_HASH"] !== undefined;

/** Builds packages, by default all, whose builds are outdated: takes a second with current builds, half a minute without. */
export const buildPackages = (root: string, names: readonly string[] = ["*"]): void => {
  if (isTurboTask) return;
  const filters = names.map((name) => `--filter=./packages/${name}`);
  runTool(root, root, "turbo/bin/turbo", "run", "build", "--output-logs=errors-only", ...filters);
};

/**
 * Returns tsconfig.json `references` with which the compiler checks a program against the declarations of packages instead of their sources, as in projects of
 * users: this takes a quarter of the time of a check against all sources. The packages must be built.
 */
export const packageReferences = (root: string): { readonly references: readonly { path: string }[] } => ({
  references: projects(root).map((project) => ({ path: join(root, dirname(project)) })),
});
