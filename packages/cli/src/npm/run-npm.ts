import { spawn } from "node:child_process";
import { FrameworkError } from "@framework/core";

/** Options of `runNpm` and `tryNpm`. */
export interface RunNpmOptions {
  readonly cwd: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** The package manager. @default "npm" */
  readonly program?: string;
}

/** Result of a run of npm. */
export interface NpmResult {
  readonly out: string;
  /** Its error message; `null` after exit code 0. */
  readonly failure: string | null;
}

/** Maximum number of characters kept of each output stream. */
const MAX_OUTPUT = 64 * 1_048_576;

/** Runs npm, or another package manager, with the project's own settings. */
export const tryNpm = async (
  args: readonly string[],
  { cwd, environment, program = "npm" }: RunNpmOptions,
): Promise<NpmResult> => {
  const child = spawn(program, args, {
    cwd,
    env: environment,
    stdio: ["ignore", "pipe", "pipe"],
    shell: process.platform === "win32", // npm is a batch file there
  });
  let [out, err] = ["", ""];
  child.stdout.setEncoding("utf8").on("data", (piece: string) => (out = (out + piece).slice(-MAX_OUTPUT)));
  child.stderr.setEncoding("utf8").on("data", (piece: string) => (err = (err + piece).slice(-MAX_OUTPUT)));
  const failure = await new Promise<string | null>((done) => {
    child.once("error", ({ message }) => done(message));
    child.once("close", (code) => done(code === 0 ? null : npmReason(err) || `exit code ${code}`));
  });
  return { out, failure };
};

/** Runs npm, or another package manager, and returns the text of its stdout. @throws CLI_NPM_FAILED */
export const runNpm = async (args: readonly string[], options: RunNpmOptions): Promise<string> => {
  const { out, failure } = await tryNpm(args, options);
  if (failure === null) return out;
  throw npmError(args, failure, options.program);
};

/** Creates the error of a failed package manager. */
export const npmError = (args: readonly string[], failure: string, program: string = "npm"): FrameworkError =>
  new FrameworkError("CLI_NPM_FAILED", `${[program, ...args.slice(0, 1)].join(" ")} failed: ${failure}`);

/** npm's error message without the path of its log file. */
const npmReason = (text: string): string =>
  text
    .split("\n")
    .map((line) => line.replace(/^npm (?:error|ERR!) ?/, "").trim())
    .filter((line) => line !== "" && !/^(?:code E|A complete log|npm (?:warn|notice))/.test(line))
    .slice(0, 12)
    .join("\n");
