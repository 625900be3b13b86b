import { App } from "@framework/core";
import { logging, type Logging, type LoggingConfig } from "./index.ts";

/** A secret that must not be in the log. */
export const canary = "c4n4ry";

/** An app with a log in memory. */
export interface LoggedApp {
  readonly app: App & Logging;
  /** Returns the log. */
  text(): string;
  /** Returns the lines of a log in JSON, parsed. */
  lines(): readonly Readonly<Record<string, unknown>>[];
}

/** Creates an app with a log in memory, by default in JSON. */
export const loggedApp = (config: Partial<LoggingConfig> = {}): LoggedApp => {
  const text: string[] = [];
  const app = new (App.with(logging))().enableLogging({
    format: "json",
    destination: { write: (lines) => void text.push(lines) },
    ...config,
  });
  const lines = () =>
    text
      .join("")
      .split("\n")
      .slice(0, -1)
      .map((line) => JSON.parse(line) as Record<string, unknown>);
  return { app, text: () => text.join(""), lines };
};
