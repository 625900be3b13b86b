import { type ChildProcess, spawn } from "node:child_process";
import { extname } from "node:path";
import { FrameworkError } from "@framework/core";
import { requireProgram } from "../app/find-program.ts";
import type { Outcome, RunCommand } from "../frame/command.ts";
import type { CommandInput } from "../frame/given.ts";
import { styled } from "../frame/text.ts";
import { readKeys } from "./keys.ts";

export const runDev: RunCommand = async (given, { cwd, environment, err, json }) => {
  const program = requireProgram(given.argument("program"), cwd, "name it: framework dev src/main.ts");
  if (process.stdin.isTTY) err.write("framework dev: r restarts, q quits\n");
  const flags = flagsOf(given);
  const start = (): ChildProcess =>
    spawn(
      process.execPath,
      [...process.execArgv, "--import", lifeline, program, "--reload", "--env", "development", ...flags],
      {
        cwd,
        env: { ...environment, FRAMEWORK_CLI_LIFELINE: String(PIPE) },
        stdio: ["ignore", json ? STDERR : "inherit", "inherit", "pipe"], // with --json, stdout has only the result
      },
    );
  return supervise(program, start);
};

/** Descriptor of this process's stderr. */
const STDERR = 2;
/** Descriptor of the pipe by which the service detects the end of this process. */
const PIPE = 3;
const lifeline = new URL(`./lifeline${extname(import.meta.url)}`, import.meta.url).href;

const flagsOf = (given: CommandInput): readonly string[] => {
  const [port, host] = [given.number("port"), given.text("host")];
  return [
    ...(port === undefined ? [] : ["--port", String(port)]),
    ...(host === undefined ? [] : ["--host", host]),
  ];
};

/** Runs the service until it ends, q is pressed or a signal arrives; r restarts it. @throws CLI_NO_SERVICE when it ends by itself with exit code 0 */
const supervise = async (program: string, start: () => ChildProcess): Promise<Outcome> => {
  let isRestarting = false;
  let isEnding = false;
  let child: ChildProcess | null = null;
  const end = (signal: NodeJS.Signals): void => {
    isEnding = true;
    child?.kill(signal);
  };
  const stopKeys = readKeys(process.stdin, (command) => {
    isRestarting = command === "restart";
    end("SIGTERM");
  });
  const onSignal = (): void => {
    isRestarting = false;
    end("SIGTERM");
  };
  process.on("SIGINT", onSignal).on("SIGTERM", onSignal);
  try {
    for (;;) {
      child = start(); // the terminal is already in raw mode, so the service restores raw mode when it ends
      const exit = await exitOf(child);
      if (exit.code === 0 && !isEnding)
        throw new FrameworkError(
          "CLI_NO_SERVICE",
          `${program} ended by itself with exit code 0; a program that serves must call run`,
        );
      if (!isRestarting) return outcome(exit, isEnding);
      isRestarting = false;
      isEnding = false;
    }
  } finally {
    stopKeys();
    process.off("SIGINT", onSignal).off("SIGTERM", onSignal);
  }
};

/** Exit of the program: its code, or the signal that ended it. */
interface Exit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

const exitOf = (child: ChildProcess): Promise<Exit> =>
  new Promise((resolve) => {
    child.once("error", () => resolve({ code: null, signal: null }));
    child.once("exit", (code, signal) => resolve({ code, signal }));
  });

/** Returns the result of the command. The signal that ends a program while it loads, before its signal handlers exist, is not an error. */
const outcome = ({ code, signal }: Exit, isEnding: boolean): Outcome => {
  const ok = code === 0 || (isEnding && (signal === "SIGTERM" || signal === "SIGINT"));
  const how = signal === null ? `with exit code ${code}` : `by ${signal}`;
  return {
    ok,
    data: { exitCode: code },
    lines: ok ? [] : [styled("red", `the service ended ${how}`)],
  };
};
