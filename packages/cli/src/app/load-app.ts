import { pathToFileURL } from "node:url";
import { FrameworkError } from "@framework/core";
import { type AppLike, isApp } from "./app-like.ts";
import { findModule } from "./find-module.ts";

/**
 * Imports the module of an app and returns the app, neither started nor running.
 *
 * The export is the named one, else `default`, `app` or `createApp`, else the only app or `create…App` function. A function is called without arguments.
 *
 * @throws CLI_NO_APP, CLI_APP_FAILED with the words of the error that the module or the function threw
 */
export const loadApp = async (given: string | undefined, cwd: string): Promise<AppLike> => {
  const { path, exported } = findModule(given, cwd);
  const module = await attempt(
    path,
    () => import(pathToFileURL(path).href) as Promise<Record<string, unknown>>,
  );
  const name = exported ?? chooseExport(module);
  const value = name === null ? undefined : module[name];
  const app: unknown =
    typeof value === "function" ? await attempt(path, async () => (value as () => unknown)()) : value;
  if (isApp(app)) return app;
  const names = Object.keys(module).join(", ");
  throw new FrameworkError(
    "CLI_NO_APP",
    name === null
      ? `${path} exports no app: export one as default, app, or a function createApp (its exports: ${names || "none"})`
      : `${name} of ${path} is neither an app nor a function that returns one (its exports: ${names || "none"})`,
  );
};

const chooseExport = (module: Readonly<Record<string, unknown>>): string | null => {
  const conventional = ["default", "app", "createApp"].find((name) => module[name] !== undefined);
  if (conventional !== undefined) return conventional;
  const candidates = Object.keys(module).filter(
    (name) => isApp(module[name]) || (typeof module[name] === "function" && /^create[A-Z]\w*App$/.test(name)),
  );
  return candidates.length === 1 ? (candidates[0] ?? null) : null;
};

const attempt = async <T>(path: string, work: () => Promise<T>): Promise<T> => {
  try {
    return await work();
  } catch (cause) {
    const words = cause instanceof Error ? cause.message : String(cause);
    throw new FrameworkError("CLI_APP_FAILED", `${path} failed: ${words}`, { cause });
  }
};
