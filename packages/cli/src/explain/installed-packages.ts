import { existsSync, readdirSync, realpathSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { readPackageJson } from "../app/read-package-json.ts";

/** A package of the framework that is installed for a project, or the project itself. */
export interface InstalledPackage {
  readonly name: string;
  readonly version: string;
  /** Real path of the folder with its package.json. */
  readonly folder: string;
  readonly manifest: PackageManifest;
}

/** The parts of a package.json that commands read. */
export interface PackageManifest {
  readonly name?: string;
  readonly version?: string;
  readonly private?: boolean;
  readonly exports?: Readonly<Record<string, unknown>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
  /** Settings of this program; `errors` is the path of a module with the project's own catalogue. */
  readonly framework?: { readonly errors?: string } | null;
}

const SCOPE = "@framework";

/**
 * Finds this package, and the framework's packages in the `node_modules` of a folder, of its parent folders and of this program. Of several copies, it
 * returns the nearest. Private packages are skipped.
 *
 * @throws CLI_BAD_PACKAGE_JSON
 */
export const installedPackages = (cwd: string): readonly InstalledPackage[] => {
  const own = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
  const found = new Map<string, InstalledPackage>();
  const scopeFolders = [...ancestorsOf(cwd), ...ancestorsOf(own)].map((folder) =>
    join(folder, "node_modules", SCOPE),
  );
  for (const folder of [...scopeFolders.filter((home) => existsSync(home)).flatMap(foldersIn), own]) {
    const candidate = readPackage(folder);
    const isPublished = candidate?.manifest.private !== true; // a workspace may have private packages of the same scope
    if (candidate !== null && isPublished && !found.has(candidate.name)) found.set(candidate.name, candidate);
  }
  return [...found.values()].sort((a, b) => a.name.localeCompare(b.name));
};

/** Returns the project of a folder if its package.json names an error catalogue. @throws CLI_BAD_PACKAGE_JSON */
export const projectWithCodes = (cwd: string): readonly InstalledPackage[] => {
  const project = readPackage(cwd);
  return project?.manifest.framework?.errors === undefined ? [] : [project];
};

/** Reads the package.json of a folder; `null` when the folder has none. @throws CLI_BAD_PACKAGE_JSON */
export const readPackage = (folder: string): InstalledPackage | null => {
  const path = join(folder, "package.json");
  if (!existsSync(path)) return null;
  const manifest = readPackageJson(path) as PackageManifest;
  const { name = "", version = "" } = manifest;
  return { name, version, manifest, folder: realpathSync(folder) };
};

/** Returns a folder and its parent folders, nearest first. */
export const ancestorsOf = (folder: string): readonly string[] => {
  const above = dirname(folder);
  return above === folder ? [folder] : [folder, ...ancestorsOf(above)];
};

const foldersIn = (home: string): readonly string[] => readdirSync(home).map((name) => join(home, name));
