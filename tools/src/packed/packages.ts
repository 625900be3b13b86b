import { existsSync, globSync, linkSync, mkdirSync, readdirSync, readFileSync, symlinkSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Manifest } from "../workspace/read-workspace.ts";
import { buildPackages } from "../built-packages.ts";
import { run } from "../run-node.ts";
import { filesOf } from "./tarball-problems.ts";

/** Folders of unpacked packages, by name. */
export type Packages = ReadonlyMap<string, string>;

/** Builds packages of the workspace and packs them as for publishing. */
export const packWorkspace = (root: string, folder: string, names: readonly string[]): Packages => {
  buildPackages(root, names);
  const filters = names.map((name) => `--filter=@framework/${name}`);
  run(root, "pnpm", "--recursive", ...filters, "pack", "--pack-destination", folder);
  return unpack(folder);
};

/** Unpacks the tarballs in a folder; returns the folders of the packages. */
export const unpack = (folder: string): Packages =>
  new Map(
    globSync("*.tgz", { cwd: folder }).map((tarball) => {
      const home = join(folder, tarball.replace(".tgz", ""));
      mkdirSync(home, { recursive: true });
      run(folder, "tar", "--extract", "--file", tarball, "--directory", home, "--strip-components=1");
      return [readManifest(home).name, home];
    }),
  );

/** Reads the package.json in a folder. */
export const readManifest = (folder: string): Manifest =>
  JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as Manifest;

/**
 * Fills `node_modules` of a folder like `npm install` with these names, without a registry: the packages, their dependencies and required
 * peers, recursively, and nothing else. Third-party packages are links to the copies of the workspace.
 */
export const install = (root: string, folder: string, packages: Packages, names: readonly string[]): void => {
  const wanted = new Set(names);
  for (const name of wanted) {
    const target = join(folder, "node_modules", name);
    mkdirSync(dirname(target), { recursive: true });
    const unpacked = packages.get(name);
    if (unpacked === undefined) symlinkSync(copyOf(root, name), target, "junction");
    else {
      for (const path of filesOf(unpacked)) {
        mkdirSync(dirname(join(target, path)), { recursive: true });
        linkSync(join(unpacked, path), join(target, path)); // a symbolic link would resolve imports from the original folder
      }
      for (const required of requiredBy(readManifest(unpacked))) wanted.add(required);
    }
  }
};

const requiredBy = ({ dependencies, peerDependencies, peerDependenciesMeta }: Manifest): string[] =>
  Object.keys({ ...dependencies, ...peerDependencies }).filter(
    (name) => peerDependenciesMeta?.[name]?.optional !== true,
  );

/** Returns the folder of a third-party package in the workspace. */
const copyOf = (root: string, name: string): string => {
  const homes = [root, ...readdirSync(join(root, "packages")).map((home) => join(root, "packages", home))];
  const found = homes.map((home) => join(home, "node_modules", name)).find(existsSync);
  if (found === undefined) throw new Error(`no package of the workspace has ${name} installed`);
  return found;
};
