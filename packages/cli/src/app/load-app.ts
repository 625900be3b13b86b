import { pathToFileURL } from "node:url";
import { FrameworkError } from "@framework/core";
import { type AppLike, isApp } from "./app-like.ts";
import { findModule } from "./find-module.ts";

/**
 * Imports the module of an app and returns the app, neither started nor running.
 *
 * For a CommonJS module, the exports are the members of `module.exports`. The app is the named export, else `default`, `app` or `createApp`, else the
 * only app or `create…App` function. A function is called without arguments.
 *
 * @throws CLI_NO_APP, also for a module that calls `run`; CLI_APP_FAILED with the message of the error that the module or the function threw;
 * CLI_BAD_PACKAGE_JSON
 */
export const loadApp = async (given: string | undefined, cwd: string): Promise<AppLike> => {
  const { path, exportName } = findModule(given, cwd);
  const module = exportsOf(await wrapErrors(path, () => importWithoutRun(path)));
  const name = exportName ?? chooseExport(module);
  const value = name === null ? undefined : module[name];
  const app: unknown =
    typeof value === "function" ? await wrapErrors(path, async () => (value as () => unknown)()) : value;
  if (isApp(app)) return app;
  const names = Object.keys(module).join(", ");
  throw new FrameworkError(
    "CLI_NO_APP",
    name === null
      ? `${path} exports no app: export one as default, app, or a function createApp (its exports: ${names || "none"})`
      : `${name} of ${path} is neither an app nor a function that returns one (its exports: ${names || "none"})`,
  );
};

/** Key of the global function that `run` of any copy of core calls instead of serving, while this program imports a module. */
const refusal = Symbol.for("@framework/core/refuse-run");

/** Imports a module. A call of `run` in it fails the import immediately: `run` would serve, and parse the flags of this program. */
const importWithoutRun = async (path: string): Promise<Record<string, unknown>> => {
  const refused = Promise.withResolvers<never>();
  const error = new FrameworkError(
    "CLI_NO_APP",
    `${path} calls run itself; export the app and call run in another file, or only when it is the main module: if (import.meta.main) await app.run()`,
  );
  Reflect.set(globalThis, refusal, () => refused.reject(error));
  try {
    return await Promise.race([
      import(pathToFileURL(path).href) as Promise<Record<string, unknown>>,
      refused.promise,
    ]);
  } finally {
    Reflect.deleteProperty(globalThis, refusal);
  }
};

/** Returns the exports of a module. Node adds `default` and `module.exports` to those of a CommonJS module: both are the object that it exports. */
const exportsOf = (module: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> => {
  const own = module["module.exports"];
  return typeof own === "object" && own !== null && !isApp(own) ? { ...own } : module;
};

const chooseExport = (module: Readonly<Record<string, unknown>>): string | null => {
  const conventional = ["default", "app", "createApp"].find((name) => module[name] !== undefined);
  if (conventional !== undefined) return conventional;
  const candidates = Object.keys(module).filter(
    (name) => isApp(module[name]) || (typeof module[name] === "function" && /^create[A-Z]\w*App$/.test(name)),
  );
  return candidates.length === 1 ? (candidates[0] ?? null) : null;
};

const wrapErrors = async <T>(path: string, work: () => Promise<T>): Promise<T> => {
  try {
    return await work();
  } catch (cause) {
    if (FrameworkError.is(cause) && cause.code === "CLI_NO_APP") throw cause;
    const words = cause instanceof Error ? cause.message : String(cause);
    throw new FrameworkError("CLI_APP_FAILED", `${path} failed: ${words}`, { cause });
  }
};
