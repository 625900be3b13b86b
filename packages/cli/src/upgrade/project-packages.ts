import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { FrameworkError } from "@framework/core";
import { parsePackageJson, readPackageJson } from "../app/read-package-json.ts";
import { ancestorsOf, type InstalledPackage, readPackage } from "../explain/installed-packages.ts";

const sections = ["dependencies", "devDependencies", "optionalDependencies"] as const;

/** A package that the project's package.json names with a version range. */
export interface NamedPackage {
  readonly name: string;
  readonly range: string;
}

/** The packages of a project. */
export interface ProjectPackages {
  /** Text of package.json. */
  readonly manifest: string;
  /** Packages of the framework with a range that can be upgraded. */
  readonly upgradable: readonly NamedPackage[];
  /** Packages of the framework with another kind of range, such as `workspace:^` or a folder. */
  readonly skipped: readonly NamedPackage[];
  /** The installed packages that package.json names. */
  readonly installed: ReadonlyMap<string, InstalledPackage>;
}

const RANGE = /^(\^|~|>=|)v?(\d+\.\d+\.\d+(?:-[\w.-]+)?)$/;

/** Reads the packages of a project. @throws CLI_NO_PACKAGE if there is no package.json; CLI_BAD_PACKAGE_JSON */
export const readProject = (cwd: string): ProjectPackages => {
  const path = join(cwd, "package.json");
  if (!existsSync(path)) throw new FrameworkError("CLI_NO_PACKAGE", `there is no package.json in ${cwd}`);
  const manifest = readFileSync(path, "utf8");
  const parsed = readPackageJson(path) as Readonly<
    Record<string, Readonly<Record<string, string>> | undefined>
  >;
  const named = sections
    .flatMap((section) => Object.entries(parsed[section] ?? {}))
    .map(([name, range]): NamedPackage => ({ name, range }));
  const ofFramework = named.filter(({ name }) => name.startsWith("@framework/"));
  const installed = named.flatMap(({ name }) => installedPackage(cwd, name) ?? []);
  return {
    manifest,
    upgradable: ofFramework.filter(({ range }) => RANGE.test(range)),
    skipped: ofFramework.filter(({ range }) => !RANGE.test(range)),
    installed: new Map(installed.map((each) => [each.name, each])),
  };
};

/** Returns an installed package; packages of a workspace may be in the `node_modules` of a parent folder. */
const installedPackage = (cwd: string, name: string): InstalledPackage | null => {
  for (const folder of ancestorsOf(cwd)) {
    const found = readPackage(join(folder, "node_modules", name));
    if (found !== null) return found;
  }
  return null;
};

/** Returns the lowest version of a range that can be upgraded; `0.0.0` for other ranges. */
export const versionIn = (range: string): string => RANGE.exec(range)?.[2] ?? "0.0.0";

/** Returns the text of package.json with new versions; range operators, order, indentation and line breaks stay. */
export const withVersions = (manifest: string, versions: ReadonlyMap<string, string>): string => {
  const parsed = { ...parsePackageJson(manifest) } as Record<string, Record<string, string> | undefined>;
  for (const section of sections)
    for (const [name, range] of Object.entries(parsed[section] ?? {})) {
      const version = versions.get(name);
      const operator = RANGE.exec(range)?.[1];
      if (version !== undefined && operator !== undefined)
        parsed[section] = { ...parsed[section], [name]: operator + version };
    }
  const indent = /^\u{feff}?\{\r?\n([ \t]+)"/u.exec(manifest)?.[1] ?? 2;
  const bom = manifest.startsWith("\u{feff}") ? "\u{feff}" : "";
  const text = JSON.stringify(parsed, null, indent) + (manifest.endsWith("\n") ? "\n" : "");
  return bom + (manifest.includes("\r\n") ? text.replaceAll("\n", "\r\n") : text);
};
