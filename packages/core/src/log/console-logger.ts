import type { Logger } from "./logger.ts";
import { printable } from "./printable.ts";

/** Severity of a line. */
export type Level = "info" | "warn" | "error";

/** Format and destination of the framework's own lines. */
export interface ConsoleLoggerOptions {
  /** `text` for a terminal; `json` for collectors: one object a line with `time`, `level`, `message` and the fields. */
  readonly format: "text" | "json";
  /** Receives one line, newline included. */
  readonly write: (line: string, level: Level) => void;
  readonly now?: () => Date;
}

type Fields = Readonly<Record<string, unknown>>;

/** A logger that writes one line for each call. It never throws, and escapes control characters in every field. */
export const consoleLogger = ({ format, write, now = () => new Date() }: ConsoleLoggerOptions): Logger => {
  const line = format === "json" ? jsonLine : textLine;
  const at =
    (level: Level) =>
    (message: string, fields: Fields = {}): void =>
      write(`${line(level, message, fields, now())}\n`, level);
  return { info: at("info"), warn: at("warn"), error: at("error") };
};

const jsonLine = (level: Level, message: string, fields: Fields, time: Date): string => {
  const head = { time: time.toISOString(), level, message };
  const own = entriesOf(fields).filter(([key]) => !(key in head));
  return asciiControls(
    toJson({ ...head, ...Object.fromEntries(own) }) ?? JSON.stringify({ ...head, fields: UNSERIALISABLE }),
  );
};

const textLine = (level: Level, message: string, fields: Fields, time: Date): string => {
  const head = `${time.toTimeString().slice(0, 8)} ${level.padEnd(5)} ${printable(message)}`;
  const stacks: string[] = [];
  const pairs = entriesOf(fields).map(([key, value]) => {
    if (Error.isError(value)) stacks.push(...indented(value));
    const text = Error.isError(value)
      ? value.message
      : typeof value === "string"
        ? value
        : (toJson(value) ?? UNSERIALISABLE);
    return ` ${printable(key)}=${printable(text)}`;
  });
  return [head + pairs.join(""), ...stacks].join("\n");
};

/** Stack lines are indented, so that a message with line breaks cannot imitate a log line. */
const indented = (error: Error): string[] =>
  (error.stack ?? String(error)).split("\n").map((line) => `    ${printable(line.trim())}`);

const UNSERIALISABLE = "[not serialisable]";

const entriesOf = (fields: Fields): [key: string, value: unknown][] => {
  try {
    return Object.entries(fields);
  } catch {
    return [["fields", UNSERIALISABLE]]; // a getter threw; the message is still written
  }
};

/** JSON of any value: errors with their stack, cycles cut; `undefined` if it cannot be serialised. */
const toJson = (value: unknown): string | undefined => {
  const above: { readonly item: object; readonly plain: object }[] = [];
  function replace(this: unknown, _key: string, item: unknown): unknown {
    while (above.length > 0 && above.at(-1)?.plain !== this) above.pop();
    if (typeof item === "bigint") return String(item);
    if (typeof item !== "object" || item === null) return item;
    if (above.some((parent) => parent.item === item)) return "[circular]";
    const plain = Error.isError(item) ? plainError(item) : item;
    above.push({ item, plain });
    return plain;
  }
  try {
    return JSON.stringify(value, replace) ?? String(value);
  } catch {
    return undefined; // a getter or toJSON threw, or the value is nested too deeply: the line is written without it
  }
};

const plainError = (error: Error): object => {
  const { code, cause } = error as { code?: unknown; cause?: unknown };
  return { name: error.name, message: error.message, code, stack: error.stack, cause };
};

/** Escapes DEL, C1 controls, line separators and bidi marks, which JSON allows but terminals and line readers interpret. */
const asciiControls = (json: string): string =>
  json.replace(
    /[\u007f-\u009f\u2028-\u202e\u2066-\u2069]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
