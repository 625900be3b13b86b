import { App } from "@framework/core";
import { logging, type Logging, type LoggingConfig } from "./index.ts";

/** A secret that must not be in the log. */
export const canary = "c4n4ry";

/** Creates an app, and a function that returns its log. */
export const loggedApp = (
  config: Partial<LoggingConfig>,
): { readonly app: App & Logging; readonly text: () => string } => {
  const text: string[] = [];
  const app = new (App.with(logging))().enableLogging({
    format: "json",
    destination: { write: (lines) => void text.push(lines) },
    ...config,
  });
  return { app, text: () => text.join("") };
};
