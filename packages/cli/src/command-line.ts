import { nearest } from "@framework/core/feature";
import { commands } from "./commands.ts";
import { type Command, type Context, type Outcome } from "./frame/command.ts";
import { commandHelp, programHelp } from "./frame/help.ts";
import { parseWords } from "./frame/parse-words.ts";
import { print, printError } from "./frame/print.ts";
import { createProgress } from "./frame/progress.ts";
import { type DeadlineClock, type Output, processTerminal, type Terminal } from "./frame/terminal.ts";
import { safeJson } from "./frame/text.ts";
import { UsageError } from "./frame/usage-error.ts";
import { ownVersion } from "./own-version.ts";

/** Options of `commandLine`. */
export interface CommandLineOptions {
  /** Receives the result. @default writes to stdout */
  readonly write?: (text: string) => void;
  /** Receives error messages. @default writes to stderr */
  readonly writeError?: (text: string) => void;
  /** Working directory. @default the working directory of the process */
  readonly cwd?: string;
  /** Environment variables. @default the environment of the process */
  readonly environment?: Readonly<Record<string, string | undefined>>;
  /** Whether the outputs count as a terminal, for colours and progress. @default false for a replaced output, else whether the stream is a terminal */
  readonly isTerminal?: boolean;
  /** Timers of `--timeout`, and of `--after` of `drain`. @default timers of the process */
  readonly clock?: DeadlineClock;
}

/**
 * Runs one command of `framework` and resolves with the exit code: 0 success, 1 the check or the command failed, 2 the command line is invalid.
 *
 * @param words the command line without the program's name: `["routes", "src/app.ts"]`
 */
export const commandLine = async (
  words: readonly string[],
  options: CommandLineOptions = {},
): Promise<number> => {
  const terminal = terminalOf(options);
  const json = words.includes("--json");
  try {
    const { ok, data, lines, raw } = await execute(words, {
      ...terminal,
      json,
      commands,
      progress: createProgress(terminal.err),
    });
    if (json) terminal.out.write(`${safeJson(data)}\n`);
    else print(lines, terminal.out, terminal);
    if (!json && raw !== undefined) writeRaw(raw, terminal.out);
    return ok ? 0 : 1;
  } catch (error) {
    printError(error, json, terminal);
    return error instanceof UsageError ? 2 : 1;
  }
};

const execute = async (words: readonly string[], context: Context): Promise<Outcome> => {
  const first = commandIndex(words);
  const [name, ...rest] = words.filter((word, at) => word !== "--json" || (first !== -1 && at > first));
  if (name === "--version" || name === "-v") {
    const version = ownVersion();
    return { ok: true, data: { version }, lines: [`framework ${version}`] };
  }
  if (name === undefined || name === "--help" || name === "-h" || (name === "help" && rest.length === 0))
    return { ok: true, data: { commands: commands.map(commandData) }, lines: programHelp(commands) };
  const command = findCommand(name === "help" ? (rest[0] ?? "") : name);
  if (name === "help") return helpOf(command);
  const given = parseWords(command, rest);
  if (given.flag("help")) return helpOf(command);
  const run = await command.load();
  try {
    return await run(given, context);
  } finally {
    context.progress.clear();
  }
};

/** Returns the index of the command's name; `--json` may precede it. */
const commandIndex = (words: readonly string[]): number => words.findIndex((word) => word !== "--json");

const helpOf = (command: Command): Outcome => ({
  ok: true,
  data: commandData(command),
  lines: commandHelp(command),
});

const commandData = ({ load: _load, ...command }: Command): object => command;

const findCommand = (name: string): Command => {
  const found = commands.find((command) => command.name === name);
  if (found !== undefined) return found;
  const [near] = nearest(
    name,
    commands.map((command) => command.name),
    1,
  );
  const hint = near === undefined ? "framework --help lists all" : `did you mean ${near}?`;
  throw new UsageError(`there is no command ${JSON.stringify(name)}; ${hint}`);
};

const writeRaw = (raw: Uint8Array, { write, writeBytes }: Output): void => {
  if (writeBytes === null) write(new TextDecoder().decode(raw));
  else writeBytes(raw);
};

const terminalOf = (options: CommandLineOptions): Terminal => {
  const { write, writeError, cwd, environment, isTerminal, clock } = options;
  const own = processTerminal();
  const output = (standard: Output, replaced: ((text: string) => void) | undefined): Output => ({
    write: replaced ?? standard.write,
    writeBytes: replaced === undefined ? standard.writeBytes : null,
    isTerminal: isTerminal ?? (replaced === undefined && standard.isTerminal),
    columns: standard.columns,
  });
  return {
    out: output(own.out, write),
    err: output(own.err, writeError),
    input: own.input,
    cwd: cwd ?? own.cwd,
    environment: environment ?? own.environment,
    clock: clock ?? own.clock,
  };
};
