import { join } from "node:path";
import type { App } from "@framework/core";

/** Secret of the tokens of the app. */
export const AUTH_SECRET = "a secret for tests, at least 32 bytes";

const full = join(import.meta.dirname, "../templates/full/src");

/** Creates the app of the full template from its source, with these variables. */
export const templateApp = async (variables: Readonly<Record<string, string>>): Promise<App> => {
  const [{ createApp }, { readSettings }] = await Promise.all([
    import(join(full, "app.ts")),
    import(join(full, "settings.ts")),
  ]);
  return createApp(readSettings({ AUTH_SECRET, ...variables }));
};
