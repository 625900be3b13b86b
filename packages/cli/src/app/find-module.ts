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
  readonly exportName: string | null;
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
 * @throws CLI_NO_APP when the file does not exist or is a folder, or no conventional path exists; CLI_BAD_PACKAGE_JSON
 */
export const findModule = (given: string | undefined, cwd: string): AppModule => {
  const name = given ?? moduleInManifest(cwd);
  if (name !== undefined) {
    const module = moduleOf(name, cwd);
    if (existsSync(module.path) && !isFolder(module.path)) return module;
    const source = given === undefined ? ", which framework.app of package.json names" : "";
    const problem = name === "" ? 'there is no file ""' : `there is no file ${splitName(name).path}`;
    throw new FrameworkError("CLI_NO_APP", `${problem} in ${cwd}${source}`);
  }
  const found = conventionalModules.map((path) => resolve(cwd, path)).find((path) => existsSync(path));
  if (found !== undefined) return { path: found, exportName: null };
  throw new FrameworkError(
    "CLI_NO_APP",
    `none of ${conventionalModules.join(", ")} exists; pass the module of the app, or set framework.app in package.json`,
  );
};

/** Returns the module: the whole name if that path exists; else the part after the last "#" is the export. */
const moduleOf = (name: string, cwd: string): AppModule => {
  const whole = resolve(cwd, name);
  if (existsSync(whole)) return { path: whole, exportName: null };
  const { path, exportName } = splitName(name);
  return { path: resolve(cwd, path), exportName };
};

/** Folder names may also contain "#"; names of exports contain no slash. */
const splitName = (name: string): AppModule => {
  const [, path = name, exportName = null] = /^(.*)#([^#/\\]*)$/s.exec(name) ?? [];
  return { path, exportName };
};

const moduleInManifest = (cwd: string): string | undefined => {
  const path = resolve(cwd, "package.json");
  if (!existsSync(path)) return undefined;
  const { framework } = readPackageJson(path) as { framework?: { app?: unknown } | null };
  return typeof framework?.app === "string" ? framework.app : undefined;
};
