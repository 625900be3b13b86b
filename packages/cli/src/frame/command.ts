import type { CommandInput } from "./given.ts";
import type { Progress } from "./progress.ts";
import type { Terminal } from "./terminal.ts";
import type { Line } from "./text.ts";

/** A positional argument. */
export interface ArgumentSpec {
  readonly name: string;
  readonly summary: string;
  readonly required?: boolean;
  /** Values that shell completion offers. */
  readonly choices?: readonly string[];
  /** Whether shell completion offers files. */
  readonly isFile?: boolean;
}

/** An option of a command: a flag, or one with a value. */
export interface OptionSpec {
  /** Name without the dashes. */
  readonly name: string;
  /** One letter. */
  readonly short?: string;
  readonly summary: string;
  /** `flag` takes no value; `texts` may be repeated. */
  readonly kind: "flag" | "text" | "texts" | "number";
  /** Name of the value in the help text. */
  readonly value?: string;
  /** The allowed values of a text. */
  readonly choices?: readonly string[];
  /** The smallest allowed number. @default 0 */
  readonly min?: number;
  /** The largest allowed number. @default 1e9 */
  readonly max?: number;
  /** Whether shell completion offers files. */
  readonly isFile?: boolean;
}

/** The result of a command. */
export interface Outcome {
  /** `false` ends the program with exit code 1. */
  readonly ok: boolean;
  /** The value that `--json` prints. */
  readonly data: unknown;
  /** Output without `--json`. */
  readonly lines: readonly Line[];
  /** Bytes written unchanged after the lines, except with `--json`. @default nothing */
  readonly raw?: Uint8Array;
}

/** Context of a command. */
export interface Context extends Terminal {
  /** Whether the result is printed as JSON; a command then writes nothing else to stdout. */
  readonly json: boolean;
  readonly progress: Progress;
  /** Every command, for completion. */
  readonly commands: readonly Command[];
}

/** Runs a command. @throws FrameworkError, printed with its code; the exit code is 1, for CLI_USAGE 2 */
export type RunCommand = (given: CommandInput, context: Context) => Promise<Outcome>;

/** Declaration of a command, for the parser, help and completion. */
export interface Command {
  readonly name: string;
  /** One line, in the imperative. */
  readonly summary: string;
  /** Longer text of the help. */
  readonly description?: readonly string[];
  readonly arguments: readonly ArgumentSpec[];
  readonly options: readonly OptionSpec[];
  /** Command lines without the program's name. */
  readonly examples: readonly string[];
  /** Condition for exit code 1, for the help text. */
  readonly fails: string;
  /** Loads the command's code, so that one command does not wait for the modules of all others. */
  readonly load: () => Promise<RunCommand>;
}

/** Options of every command. */
export const commonOptions: readonly OptionSpec[] = [
  { name: "json", kind: "flag", summary: "print the result as one JSON value" },
  { name: "help", short: "h", kind: "flag", summary: "print this text" },
];
