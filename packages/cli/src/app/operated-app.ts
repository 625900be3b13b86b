import { FrameworkError } from "@framework/core";
import type { AppLike } from "./app-like.ts";
import { loadApp } from "./load-app.ts";

/** The database of an app: the members that commands use. */
export interface OperatedDatabase {
  close(): Promise<void>;
}

/**
 * Creates an app for work on its database without starting it: no port, consumer or queue worker starts. Closes the database afterwards.
 *
 * @throws CLI_NO_FEATURE when the app has no database; DURABLE_TABLES_MISSING in place of a database error, if tables of durable work are missing
 */
export const withAppDatabase = async <T>(
  given: string | undefined,
  cwd: string,
  work: (app: AppLike, db: OperatedDatabase) => Promise<T>,
): Promise<T> => {
  const app = await loadApp(given, cwd);
  const db = memberOf<OperatedDatabase>(app, "db", "database", "enableDatabase");
  try {
    return await work(app, db);
  } catch (error) {
    throw (await missingTables(app, error)) ?? error;
  } finally {
    await db.close();
  }
};

/** Returns an error that explains a failed statement by missing tables; `null` for another error, or if no table is missing. */
const missingTables = async (app: AppLike, cause: unknown): Promise<FrameworkError | null> => {
  const codes = ["DATABASE_STATEMENT_FAILED", "DURABLE_TABLES_MISSING"];
  if (!FrameworkError.is(cause) || !codes.includes(cause.code)) return null;
  const durable = Reflect.get(app, "durable") as { pending?(): Promise<readonly unknown[]> } | undefined;
  const pending = await durable?.pending?.().catch(() => null); // the statement's error is shown then
  if (pending === undefined || pending === null || pending.length === 0) return null;
  return new FrameworkError(
    "DURABLE_TABLES_MISSING",
    "the database lacks tables of durable work: framework migrate creates them",
    { cause },
  );
};

/** Returns a member that a feature adds to the app. @throws CLI_NO_FEATURE */
export const memberOf = <T>(app: AppLike, name: string, feature: string, how: string): T => {
  const member: unknown = Reflect.get(app, name);
  if (typeof member === "object" && member !== null) return member as T;
  throw new FrameworkError(
    "CLI_NO_FEATURE",
    `the app has no ${name}: name the feature ${feature} in App.with, and call ${how}`,
  );
};
