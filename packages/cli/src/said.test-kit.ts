import { commandLine, type CommandLineOptions } from "./command-line.ts";

/** What a command printed, and its exit code. */
export interface Said {
  readonly exitCode: number;
  readonly out: string;
  readonly err: string;
}

/** Carries out a command in this process and collects what it prints. */
export const said = async (words: readonly string[], options: CommandLineOptions = {}): Promise<Said> => {
  let out = "";
  let err = "";
  const exitCode = await commandLine(words, {
    write: (text) => void (out += text),
    complain: (text) => void (err += text),
    environment: {},
    ...options,
  });
  return { exitCode, out, err };
};

/** Carries out a command with `--json` and returns what it printed. */
export const saidJson = async <T>(words: readonly string[], options: CommandLineOptions = {}): Promise<T> =>
  JSON.parse((await said([...words, "--json"], options)).out) as T;

/**
 * A clock whose timers wait for turns of the event loop, one for each 10 ms. A reply of this process has begun within the first of them, however busy the
 * machine is.
 */
export const clockOfTurns: NonNullable<CommandLineOptions["clock"]> = {
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
