import { type ChildProcess, spawn } from "node:child_process";
import { FrameworkError } from "@framework/core";
import { findProgram } from "../app/find-program.ts";
import type { Outcome, RunCommand } from "../frame/command.ts";
import type { Given } from "../frame/given.ts";
import { styled } from "../frame/text.ts";
import { readKeys } from "./keys.ts";

export const runDev: RunCommand = async (given, { cwd, environment, err, json }) => {
  const program = findProgram(given.argument("program"), cwd);
  if (program === null)
    throw new FrameworkError("CLI_NO_SERVICE", "there is no program; name it: framework dev src/main.ts");
  if (process.stdin.isTTY) err.write("framework dev: r restarts, q quits\n");
  const flags = flagsOf(given);
  const start = (): ChildProcess =>
    spawn(process.execPath, [...process.execArgv, program, "--reload", "--env", "development", ...flags], {
      cwd,
      env: environment,
      stdio: ["ignore", json ? STDERR : "inherit", "inherit"], // with --json, stdout has the result alone
    });
  return supervise(program, start);
};

/** Descriptor of this process's stderr. */
const STDERR = 2;

const flagsOf = (given: Given): readonly string[] => {
  const [port, host] = [given.number("port"), given.text("host")];
  return [
    ...(port === undefined ? [] : ["--port", String(port)]),
    ...(host === undefined ? [] : ["--host", host]),
  ];
};

/** Runs the service until it ends or a person quits; starts it again when one asks for it. @throws CLI_NO_SERVICE when it ends by itself */
const supervise = async (program: string, start: () => ChildProcess): Promise<Outcome> => {
  let isRestarting = false;
  let isEnding = false;
  let child: ChildProcess | null = null;
  const end = (signal: NodeJS.Signals): void => {
    isEnding = true;
    child?.kill(signal);
  };
  const stopKeys = readKeys(process.stdin, (wish) => {
    isRestarting = wish === "restart";
    end("SIGTERM");
  });
  const interrupted = (): void => {
    isRestarting = false;
    end("SIGTERM");
  };
  process.on("SIGINT", interrupted).on("SIGTERM", interrupted);
  try {
    for (;;) {
      child = start(); // the terminal is raw by now: at its end the service restores the mode that it found
      const code = await exitOf(child);
      if (code === 0 && !isEnding)
        throw new FrameworkError(
          "CLI_NO_SERVICE",
          `${program} ended by itself with exit code 0; a program that serves calls run`,
        );
      if (!isRestarting) return outcome(code);
      isRestarting = false;
      isEnding = false;
    }
  } finally {
    stopKeys();
    process.off("SIGINT", interrupted).off("SIGTERM", interrupted);
  }
};

const exitOf = (child: ChildProcess): Promise<number | null> =>
  new Promise((resolve) => {
    child.once("error", () => resolve(null));
    child.once("exit", (code) => resolve(code));
  });

const outcome = (exitCode: number | null): Outcome => ({
  ok: exitCode === 0,
  data: { exitCode },
  lines: exitCode === 0 ? [] : [styled("red", `the service ended with exit code ${exitCode}`)],
});
