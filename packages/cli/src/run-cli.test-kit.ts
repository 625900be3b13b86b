import { commandLine, type CommandLineOptions } from "./command-line.ts";

/** Output and exit code of a command. */
export interface CliResult {
  readonly exitCode: number;
  readonly out: string;
  readonly err: string;
}

/** Runs a command in this process and collects its output. */
export const runCli = async (
  words: readonly string[],
  options: CommandLineOptions = {},
): Promise<CliResult> => {
  let out = "";
  let err = "";
  const exitCode = await commandLine(words, {
    write: (text) => void (out += text),
    writeError: (text) => void (err += text),
    environment: {},
    ...options,
  });
  return { exitCode, out, err };
};

/** Runs a command with `--json` and returns the printed value. */
export const runCliJson = async <T>(words: readonly string[], options: CommandLineOptions = {}): Promise<T> =>
  JSON.parse((await runCli([...words, "--json"], options)).out) as T;

/**
 * A clock whose timers count turns of the event loop, one per 10 ms. A reply of this process starts within the first turn, however busy the
 * machine is.
 */
export const eventLoopClock: NonNullable<CommandLineOptions["clock"]> = {
  after(delayMs, task) {
    let left = delayMs / 10;
    const turn = (): void => {
      if (left-- > 0) waiting = setImmediate(turn);
      else task();
    };
    let waiting = setImmediate(turn);
    return () => clearImmediate(waiting);
  },
};
