import type { ChildProcess } from "node:child_process";
import { Socket } from "node:net";
import { clearTimeout, setTimeout } from "node:timers";
import type { TestClient } from "./client.ts";
import { testingError } from "./errors.ts";
import { inTime, unlessAborted } from "./in-time.ts";
import type { ProgramOutput } from "./program-output.ts";
import { clientFor } from "./test-client.ts";

/** Exit of a program: a code or a signal. */
export interface ProgramExit {
  /** Exit code; `null` after a signal. */
  readonly code: number | null;
  /** The signal that ended it; `null` otherwise. */
  readonly signal: NodeJS.Signals | null;
}

/** A listening program; disposing of it stops it. */
export interface Program extends AsyncDisposable {
  /** Address of the program. */
  readonly url: string;
  /** Process id. */
  readonly pid: number;
  /** Client of `url`. */
  readonly client: TestClient;
  /** Output of both streams so far: whole lines, the last megabyte. */
  output(): string;
  /**
   * Sends a signal and resolves with the exit; no signal is sent to an ended program. @default SIGTERM
   *
   * @throws TESTING_TIMEOUT when it did not stop in time and was killed
   */
  stop(signal?: NodeJS.Signals): Promise<ProgramExit>;
  /** Sends SIGKILL. */
  kill(): void;
  /** Resolves with the exit. */
  readonly exited: Promise<ProgramExit>;
}

/** A child process with its output and exit. */
export interface StartedChild {
  /** Name of the program, for messages. */
  readonly name: string;
  readonly child: ChildProcess;
  readonly output: ProgramOutput;
  readonly exited: Promise<ProgramExit>;
  readonly stopTimeoutMs: number;
}

/** Creates the program of a child process that listens at a URL. */
export const createProgram = (started: StartedChild, url: string): Program => {
  const { name, child, output, exited, stopTimeoutMs } = started;
  const client = clientFor(new URL(url).origin);
  const timeoutError = (): Error => {
    const message = `${name} did not stop within ${stopTimeoutMs} ms and was killed; ${output.tail()}`;
    return testingError("TESTING_TIMEOUT", message);
  };

  const stop: Program["stop"] = async (signal = "SIGTERM") => {
    child.ref();
    child.kill(signal);
    try {
      return await inTime(stopTimeoutMs, timeoutError, (deadline) => unlessAborted(exited, deadline));
    } finally {
      child.kill("SIGKILL"); // no effect on a process that has ended
      await exited;
      await client[Symbol.asyncDispose]();
    }
  };

  unrefChild(child);
  return {
    url,
    pid: child.pid ?? 0,
    client,
    output: () => output.text(),
    stop,
    kill: () => void child.kill("SIGKILL"),
    get exited() {
      child.ref();
      return exited;
    },
    async [Symbol.asyncDispose]() {
      await stop();
    },
  };
};

/** Lets this process end while the program runs, so that a forgotten program does not keep the test run alive. The lifeline then ends the program. */
const unrefChild = (child: ChildProcess): void => {
  child.unref();
  for (const stream of child.stdio) if (stream instanceof Socket) stream.unref();
};

/** Milliseconds to wait for the last output of an ended program, whose child processes may hold the streams open. */
const LAST_OUTPUT_MS = 1000;

/** Resolves when a child has ended and its output has been read. */
export const exitOf = (child: ChildProcess): Promise<ProgramExit> => {
  const { promise, resolve } = Promise.withResolvers<ProgramExit>();
  child.once("exit", (code, signal) => {
    const timer = setTimeout(() => resolve({ code, signal }), LAST_OUTPUT_MS);
    child.once("close", () => {
      clearTimeout(timer);
      resolve({ code, signal });
    });
  });
  return promise;
};
