import { FrameworkError } from "@framework/core";

/**
 * Reports an error when this process ends before its command is done, because the imported app ends the process, awaits a
 * promise that never settles, or throws an uncaught error. The exit code is then 1.
 *
 * @returns a function that stops watching, to call when the command is done
 */
export const watchEarlyEnd = (report: (error: FrameworkError) => void): (() => void) => {
  let uncaught: { readonly cause: unknown } | null = null;
  const fail = (error: FrameworkError): void => {
    stop();
    report(error);
    process.exitCode = 1;
  };
  const onIdle = (): void => fail(endedEarly("it awaits a promise that never settles"));
  const onExit = (code: number): void =>
    fail(
      uncaught === null
        ? endedEarly(`it ended the process with exit code ${code}`)
        : uncaughtFailure(uncaught),
    );
  const onUncaught = (cause: unknown): void => void (uncaught = { cause });
  const stop = (): void => {
    process.off("beforeExit", onIdle).off("exit", onExit).off("uncaughtExceptionMonitor", onUncaught);
  };
  process.on("beforeExit", onIdle).on("exit", onExit).on("uncaughtExceptionMonitor", onUncaught);
  return stop;
};

const endedEarly = (problem: string): FrameworkError =>
  new FrameworkError("CLI_ENDED_EARLY", `the app prevented the command from finishing: ${problem}`);

const uncaughtFailure = ({ cause }: { readonly cause: unknown }): FrameworkError => {
  const words = Error.isError(cause) ? cause.message : String(cause);
  return new FrameworkError("CLI_APP_FAILED", `an uncaught error ended the process: ${words}`, {
    cause,
  });
};
