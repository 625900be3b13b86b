import { cpSync, mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { deriveNames } from "../new-package/names.ts";
import { newPackage } from "../new-package/new-package.ts";
import { runTool } from "../run-node.ts";

const settings = [
  "package.json",
  "pnpm-workspace.yaml",
  "tsconfig.base.json",
  "jest.config.js",
  ".oxlintrc.json",
];

/**
 * Creates a workspace in `folder` from a copy of core and one newly generated package, installed as by pnpm.
 *
 * @param root workspace whose core is built first: the copy keeps modification times, so the compiler treats it as current
 */
export const generateWorkspace = (root: string, folder: string, name: string): void => {
  runTool(root, root, "typescript/bin/tsc", "-b", "packages/core"); // a build restored by turbo is older than its sources
  const copied = [...settings, "LICENSE", "tools/jest", "tools/lint.js", "tools/bundle.mjs", "packages/core"];
  const filter = (path: string): boolean => !/[/\\](node_modules|\.turbo)$/.test(path);
  for (const path of copied)
    cpSync(join(root, path), join(folder, path), { recursive: true, preserveTimestamps: true, filter });
  newPackage(folder, deriveNames(name));
  const modules = join(folder, "packages", name, "node_modules/@framework");
  mkdirSync(modules, { recursive: true });
  symlinkSync(join(folder, "packages/core"), join(modules, "core"), "junction");
  for (const path of ["node_modules", "tools/bundled-sources"])
    symlinkSync(join(root, path), join(folder, path), "junction");
};
