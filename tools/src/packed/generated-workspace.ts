import { cpSync, mkdirSync, readdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { deriveNames } from "../new-package/names.ts";
import { newPackage } from "../new-package/new-package.ts";
import { run } from "./run-node.ts";

const settings = [
  "package.json",
  "pnpm-workspace.yaml",
  "tsconfig.base.json",
  "jest.config.js",
  ".oxlintrc.json",
];

/** Makes `folder` a workspace of core and one package fresh from the generator, installed as pnpm would. */
export const generateWorkspace = (root: string, folder: string, name: string): void => {
  for (const path of [...settings, "LICENSE", "tools/bundle.mjs", "tools/jest", "tools/lint.js"]) {
    cpSync(join(root, path), join(folder, path), { recursive: true });
  }
  cpSync(join(root, "packages/core"), join(folder, "packages/core"), {
    recursive: true,
    filter: (path) => !/[/\\](node_modules|dist|testing|\.turbo)$|\.test(-d)?\.ts$/.test(path),
  });
  newPackage(folder, deriveNames(name));
  mkdirSync(join(folder, "packages", name, "node_modules/@framework"), { recursive: true });
  symlinkSync(
    join(folder, "packages/core"),
    join(folder, "packages", name, "node_modules/@framework/core"),
    "junction",
  );
  symlinkSync(join(root, "node_modules"), join(folder, "node_modules"), "junction");
};

/** Packs packages of the workspace as they would be published; returns the paths of the tarballs. */
export const pack = (folder: string, names: readonly string[]): string[] => {
  const tarballs = join(folder, "tarballs");
  for (const name of names)
    run(join(folder, "packages", name), "pnpm", "pack", "--pack-destination", tarballs);
  return readdirSync(tarballs).map((file) => join(tarballs, file));
};
