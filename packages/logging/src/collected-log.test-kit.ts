import { App } from "@framework/core";
import { logging, type Logging, type LoggingConfig } from "./index.ts";

/** A secret that must not be in the log. */
export const canary = "c4n4ry";

/** An app, and its log. */
export const collected = (
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
