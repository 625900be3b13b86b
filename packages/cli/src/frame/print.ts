import { FrameworkError } from "@framework/core";
import { hasColours, type Output, type Terminal } from "./terminal.ts";
import { type Line, renderLine, safeJson, styled } from "./text.ts";

/** Prints lines, with colours on a terminal. */
export const print = (lines: readonly Line[], output: Output, { environment }: Terminal): void => {
  const colours = hasColours(output, environment);
  if (lines.length > 0)
    output.write(lines.map((line) => `${renderLine(line, colours).trimEnd()}\n`).join(""));
};

/** Prints the error of a command: as text on stderr, or with `json` as a value on stdout. */
export const printError = (error: unknown, json: boolean, terminal: Terminal): void => {
  if (json) terminal.out.write(`${safeJson({ error: errorData(error) })}\n`);
  else print(errorLines(error), terminal.err, terminal);
};

/** Returns an error as JSON, with its code and its individual problems. */
const errorData = (error: unknown): object => {
  const message = error instanceof Error ? error.message : String(error);
  const code = FrameworkError.is(error) ? error.code : null;
  return error instanceof Error && "problems" in error
    ? { code, message, problems: error.problems }
    : { code, message };
};

const errorLines = (error: unknown): readonly Line[] => {
  const code = FrameworkError.is(error) ? error.code : null;
  const text = error instanceof Error ? error.message : String(error);
  const lines = text.split("\n");
  const [first = "", ...rest] = lines;
  const hint = code === null || code === "CLI_USAGE" ? [] : [styled("dim", `framework explain ${code}`)];
  return [[styled("red", "error: "), first], ...rest, ...hint];
};
