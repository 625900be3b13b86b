import { existsSync, readFileSync } from "node:fs";
import { resolve } from "node:path";
import { FrameworkError } from "@framework/core";

/** The module of an app, and the export that has it. */
export interface AppModule {
  /** Absolute path. */
  readonly path: string;
  /** Name of the export; `null` to choose by convention. */
  readonly exported: string | null;
}

/** Modules that are tried when none is named, in order. */
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
  const named = given ?? ofManifest(cwd);
  if (named !== undefined) {
    const [path = "", exported = null] = named.split("#", 2);
    const full = resolve(cwd, path);
    if (existsSync(full)) return { path: full, exported };
    throw new FrameworkError("CLI_NO_APP", `there is no file ${path} in ${cwd}`);
  }
  const found = conventionalModules.map((path) => resolve(cwd, path)).find((path) => existsSync(path));
  if (found !== undefined) return { path: found, exported: null };
  throw new FrameworkError(
    "CLI_NO_APP",
    `none of ${conventionalModules.join(", ")} exists; pass the module of the app, or set framework.app in package.json`,
  );
};

const ofManifest = (cwd: string): string | undefined => {
  const path = resolve(cwd, "package.json");
  if (!existsSync(path)) return undefined;
  const { framework } = JSON.parse(readFileSync(path, "utf8")) as { framework?: { app?: unknown } };
  return typeof framework?.app === "string" ? framework.app : undefined;
};
