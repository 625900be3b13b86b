import { causeChain } from "./cause-chain.ts";
import type { Logger } from "./logger.ts";
import { printable } from "../http/printable.ts";
import { messageOf, toJson, UNSERIALISABLE } from "./value-text.ts";

/** Severity of a line. */
export type Level = "info" | "warn" | "error";

/** Options of `consoleLogger`. */
export interface ConsoleLoggerOptions {
  /** `text` for a terminal; `json` for collectors: one object a line with `time`, `level`, `message` and the fields. */
  readonly format: "text" | "json";
  /** Receives one line, newline included; with `text` also the indented lines of stack traces. */
  readonly write: (line: string, level: Level) => void;
  readonly now?: () => Date;
}

type Fields = Readonly<Record<string, unknown>>;

/** Creates a logger that writes one line for each call, with `text` also stack traces. It throws only if `write` does, and escapes control characters. */
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
  const own = entriesOf(fields).filter(([key]) => !Object.hasOwn(head, key));
  return asciiControls(
    toJson({ ...head, ...Object.fromEntries(own) }) ?? JSON.stringify({ ...head, fields: UNSERIALISABLE }),
  );
};

const textLine = (level: Level, message: string, fields: Fields, time: Date): string => {
  const head = `${time.toTimeString().slice(0, 8)} ${level.padEnd(5)} ${printable(message)}`;
  const stacks: string[] = [];
  const present = entriesOf(fields).filter(([, value]) => value !== undefined); // as JSON does
  const pairs = present.map(([key, value]) => {
    const chain = causeChain(value);
    if (chain !== null) stacks.push(...indent(chain));
    return ` ${printable(key)}=${printable(messageOf(value))}`;
  });
  return [head + pairs.join(""), ...stacks].join("\n");
};

/** Indents stack lines, so that a message with line breaks cannot imitate a log line. */
const indent = (chain: string): string[] => chain.split("\n").map((line) => `    ${printable(line.trim())}`);

const entriesOf = (fields: Fields): [key: string, value: unknown][] => {
  try {
    return Object.entries(fields);
  } catch {
    return [["fields", UNSERIALISABLE]]; // a getter threw; the message is still written
  }
};

/** Escapes DEL, C1 controls, line separators and bidirectional format characters, which JSON allows but terminals and line readers interpret. */
const asciiControls = (json: string): string =>
  json.replace(
    /[\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
