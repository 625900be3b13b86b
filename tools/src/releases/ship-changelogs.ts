import { cpSync, globSync } from "node:fs";
import { dirname, join } from "node:path";

/** Copies the changelog of each package into its build, from which `framework upgrade` reads the published changelog. */
export const shipChangelogs = (root: string): void => {
  for (const path of globSync("packages/*/CHANGELOG.md", { cwd: root }))
    cpSync(join(root, path), join(root, dirname(path), "dist/CHANGELOG.md"));
};

if (import.meta.main) shipChangelogs(process.cwd());
