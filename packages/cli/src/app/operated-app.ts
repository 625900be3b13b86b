import { FrameworkError } from "@framework/core";
import type { AppLike } from "./app-like.ts";
import { loadApp } from "./load-app.ts";

/** The database of an app, as far as commands use it. */
export interface OperatedDatabase {
  close(): Promise<void>;
}

/**
 * Creates an app for work on its database, without starting it: no port, no consumer and no worker of queues begins. Closes the database afterwards.
 *
 * @throws CLI_NO_FEATURE when the app has no database
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
  } finally {
    await db.close();
  }
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
