import { globSync } from "node:fs";
import { dirname, join } from "node:path";
import { runTool } from "./run-node.ts";

const projects = (root: string): string[] => globSync("packages/*/tsconfig.json", { cwd: root }).sort();

/** Whether turbo runs this process: it has built all packages before the tests, as `turbo.json` says. */
const isTurboTask = process.env["TURBO_HASH"] !== undefined;

/** Builds packages, all by default, whose builds are outdated: a second after a build, half a minute without one. */
export const buildPackages = (root: string, names: readonly string[] = ["*"]): void => {
  if (isTurboTask) return;
  const filters = names.map((name) => `--filter=./packages/${name}`);
  runTool(root, root, "turbo/bin/turbo", "run", "build", "--output-logs=errors-only", ...filters);
};

/**
 * Field of a tsconfig.json with which a program that imports the sources of packages is checked against their declarations, as users have them:
 * a quarter of the time that checking it against all sources takes. The packages must be built.
 */
export const packageReferences = (root: string): { readonly references: readonly { path: string }[] } => ({
  references: projects(root).map((project) => ({ path: join(root, dirname(project)) })),
});
