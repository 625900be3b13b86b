import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { FrameworkError } from "@framework/core";
import { isFolder } from "./is-folder.ts";
import { readPackageJson } from "./read-package-json.ts";

/** The module of an app, and the export with the app. */
export interface AppModule {
  /** Absolute path. */
  readonly path: string;
  /** Name of the export; `null` to choose by convention. */
  readonly exported: string | null;
}

/** Modules that are tried in this order when none is named. */
export const conventionalModules: readonly string[] = [
  "src/app.ts",
  "app.ts",
  "src/app.js",
  "app.js",
  "src/app.mjs",
  "app.mjs",
];

/**
 * Finds the module with the app: the given one (`src/app.ts`, `src/app.ts#createApp`), else `framework.app` of `package.json`, else a conventional path.
 *
 * @throws CLI_NO_APP when the file does not exist
 */
export const findModule = (given: string | undefined, cwd: string): AppModule => {
  const named = given ?? namedInManifest(cwd);
  if (named !== undefined) {
    const module = moduleOf(named, cwd);
    if (existsSync(module.path) && !isFolder(module.path)) return module;
    const source = given === undefined ? ", which framework.app of package.json names" : "";
    const problem = named === "" ? 'there is no file ""' : `there is no file ${splitName(named).path}`;
    throw new FrameworkError("CLI_NO_APP", `${problem} in ${cwd}${source}`);
  }
  const found = conventionalModules.map((path) => resolve(cwd, path)).find((path) => existsSync(path));
  if (found !== undefined) return { path: found, exported: null };
  throw new FrameworkError(
    "CLI_NO_APP",
    `none of ${conventionalModules.join(", ")} exists; pass the module of the app, or set framework.app in package.json`,
  );
};

/** Returns the module: the whole name if it is the path of a file; else the part after the last "#" is the export. */
const moduleOf = (named: string, cwd: string): AppModule => {
  const whole = resolve(cwd, named);
  if (existsSync(whole)) return { path: whole, exported: null };
  const { path, exported } = splitName(named);
  return { path: resolve(cwd, path), exported };
};

/** Folder names may also contain "#"; names of exports contain no slash. */
const splitName = (named: string): AppModule => {
  const [, path = named, exported = null] = /^(.*)#([^#/\\]*)$/s.exec(named) ?? [];
  return { path, exported };
};

const namedInManifest = (cwd: string): string | undefined => {
  const path = resolve(cwd, "package.json");
  if (!existsSync(path)) return undefined;
  const { framework } = readPackageJson(path) as { framework?: { app?: unknown } | null };
  return typeof framework?.app === "string" ? framework.app : undefined;
};
