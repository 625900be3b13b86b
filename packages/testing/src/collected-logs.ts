import type { Logger } from "@framework/core";

/** A line that the app under test wrote to its log. */
export interface LogLine {
  /** Severity; only features write `debug`. */
  readonly level: "debug" | "info" | "warn" | "error";
  /** Empty for the request lines of `enableLogging`, which have fields only. */
  readonly message: string;
  /** Fields of the line, such as `error` with the cause of a 500. */
  readonly fields: Readonly<Record<string, unknown>>;
}

/** A logger that collects lines in place of printing them. */
export interface CollectedLogs {
  readonly log: Logger;
  /** The last 1000 lines, oldest first; grows as the app writes. */
  readonly lines: readonly LogLine[];
}

const MAX_LINES = 1000;

/** Collects the log lines of an app. A given logger also gets the framework's lines, and features then write to their usual output. */
export const collectLogs = (to?: Logger): CollectedLogs => {
  const lines: LogLine[] = [];
  const add = (line: LogLine): void => {
    lines.push(line);
    if (lines.length > MAX_LINES) lines.shift();
  };
  const logAt =
    (level: "info" | "warn" | "error"): Logger["info"] =>
    (message, fields = {}) => {
      add({ level, message, fields });
      to?.[level](message, fields);
    };
  const log = { info: logAt("info"), warn: logAt("warn"), error: logAt("error") };
  if (to === undefined) return { log: { ...log, collect: (text) => add(lineOf(text)) }, lines };
  const redirect = to.redirect?.bind(to);
  return { log: redirect === undefined ? log : { ...log, redirect }, lines };
};

/** Names of level and message in the lines of a logging feature. */
type JsonLine = Readonly<Record<string, unknown>> & Partial<Pick<LogLine, "level" | "message">>;

/** Parses a line of JSON, as a logging feature writes it. */
const lineOf = (text: string): LogLine => {
  try {
    const { level = "info", message = "", ...fields } = JSON.parse(text) as JsonLine;
    return { level, message, fields };
  } catch {
    return { level: "info", message: text.trimEnd(), fields: {} };
  }
};
