import { printable } from "./json-string.ts";

const colours: Readonly<Record<string, number>> = { debug: 90, info: 36, warn: 33, error: 31 };

/** Formats a JSON line as text: `[timestamp] LEVEL message name=value`, stacks indented below. */
export const textLine = (json: string, useColours: boolean): string => {
  const { level, timestamp, message = "", ...fields } = JSON.parse(json) as LogRecord;
  const word = level.toUpperCase().padEnd(5);
  const levelText = useColours ? `\u001b[${colours[level] ?? 39}m${word}\u001b[39m` : word;
  const stacks: string[] = [];
  let line = `[${timestamp}] ${levelText} ${printable(message)}`;
  for (const [name, value] of Object.entries(fields)) {
    const { stack, message: text } = (typeof value === "object" && value !== null ? value : {}) as ErrorField;
    if (typeof stack === "string") stacks.push(...stack.split("\n"));
    const shown = typeof stack === "string" ? text : value;
    line += ` ${printable(name)}=${printable(typeof shown === "string" ? shown : JSON.stringify(shown))}`;
  }
  // Indented, so that a message with line breaks cannot forge a line.
  return `${[line, ...stacks.map((text) => `    ${printable(text.trim())}`)].join("\n")}\n`;
};

/** A line in this package's JSON format. */
interface LogRecord {
  readonly level: string;
  readonly timestamp: string;
  readonly message?: string;
  readonly [name: string]: unknown;
}

interface ErrorField {
  readonly stack?: unknown;
  readonly message?: unknown;
}
