import { type Program, startProgram } from "@framework/testing";

/** A running server program. */
export interface Server extends AsyncDisposable {
  readonly program: Program;
  readonly port: number;
}

/** Starts a program of `servers/` from source; it is killed when this process exits. */
export const startServer = async (
  file: string,
  args: readonly string[] = [],
  execArgv: readonly string[] = [],
  env: Readonly<Record<string, string>> = {},
): Promise<Server> => {
  const program = await startProgram(new URL(`../servers/${file}`, import.meta.url), {
    args,
    execArgv,
    env: { NODE_OPTIONS: undefined, ...env },
    timeoutMs: 60_000,
    stopTimeoutMs: 40_000,
  });
  return {
    program,
    port: Number(new URL(program.url).port),
    [Symbol.asyncDispose]: () => program[Symbol.asyncDispose](),
  };
};
