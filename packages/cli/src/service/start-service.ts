import { type ChildProcess, spawn } from "node:child_process";
import { extname } from "node:path";
import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import { FrameworkError } from "@framework/core";
import { errorLine } from "./error-line.ts";

/** A sample that the service reports four times a second. */
export interface ServiceSample {
  /** Maximum event loop delay since the last sample, in milliseconds. */
  readonly loopDelayMs: number;
  readonly heapBytes: number;
  /** CPU time divided by elapsed time; above 1 with several threads. */
  readonly cpu: number;
}

/** A completed start or stop task of the app. */
export interface ServiceTask {
  readonly phase: string;
  readonly name: string;
  readonly durationMs: number;
  readonly failed: boolean;
}

/** Exit of the process of a service. */
export interface ServiceExit {
  readonly code: number | null;
  readonly signal: string | null;
}

/** A service that this command has started. */
export interface Service extends AsyncDisposable {
  /** Address of the service, as `http://127.0.0.1:4711`. */
  readonly url: string;
  readonly samples: readonly ServiceSample[];
  readonly tasks: readonly ServiceTask[];
  readonly exited: Promise<ServiceExit>;
  kill(signal: NodeJS.Signals): void;
}

/** Options of `startService`. */
export interface StartOptions {
  readonly cwd: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly env: string;
  readonly workers: number;
  readonly timeoutSecs: number;
}

/** Maximum number of samples kept, about 40 minutes. */
const MAX_SAMPLES = 10_000;
const MAX_ERROR_TEXT = 4000;

/**
 * Starts a program on a free loopback port, and resolves when it listens.
 *
 * @throws CLI_NO_SERVICE when it ends, or does not listen in time
 */
export const startService = async (
  path: string,
  { cwd, environment, env, workers, timeoutSecs }: StartOptions,
): Promise<Service> => {
  const probe = new URL(`./probe${extname(import.meta.url)}`, import.meta.url).href;
  const flags = [
    "--host",
    "127.0.0.1",
    "--port",
    "0",
    "--env",
    env,
    "--no-debug",
    "--no-logs",
    "--workers",
    String(workers),
  ];
  const child = spawn(process.execPath, [...process.execArgv, "--import", probe, path, ...flags], {
    cwd,
    env: environment,
    stdio: ["ignore", "pipe", "pipe", "pipe"],
  });
  const samples: ServiceSample[] = [];
  const tasks: ServiceTask[] = [];
  let errors = "";
  child.stderr?.on(
    "data",
    (piece: Buffer) => (errors = `${errors}${piece.toString()}`.slice(-MAX_ERROR_TEXT)),
  );
  readLines(child.stdio[3] as Readable, (line) => {
    const { sample, task } = line as { sample?: ServiceSample; task?: ServiceTask };
    if (sample !== undefined && samples.length < MAX_SAMPLES) samples.push(sample);
    if (task !== undefined) tasks.push(task);
  });
  const exited = new Promise<ServiceExit>((resolve) => {
    child.once("error", (error) => {
      errors = error.message;
      resolve({ code: null, signal: null });
    });
    child.once("close", (code, signal) => resolve({ code, signal }));
  });
  const kill = (signal: NodeJS.Signals): void => void child.kill(signal);
  const url = await waitForUrl(child, exited, timeoutSecs);
  if (url === null) {
    kill("SIGKILL");
    await exited;
    throw new FrameworkError(
      "CLI_NO_SERVICE",
      `${path} does not listen: ${errorLine(errors) || `timed out after ${timeoutSecs} s`}`,
    );
  }
  return {
    url,
    samples,
    tasks,
    exited,
    kill,
    async [Symbol.asyncDispose]() {
      kill("SIGKILL");
      await exited;
    },
  };
};

/** Resolves with the address when the service listens; with `null` at the timeout or when the process ends. */
const waitForUrl = async (
  child: ChildProcess,
  exited: Promise<ServiceExit>,
  timeoutSecs: number,
): Promise<string | null> => {
  const { promise, resolve } = Promise.withResolvers<string | null>();
  readLines(child.stdout as Readable, (line) => {
    const { event, url } = line as { event?: unknown; url?: unknown };
    if (event === "listening" && typeof url === "string") resolve(url);
  });
  const timer = setTimeout(resolve, timeoutSecs * 1000, null);
  void exited.then(() => resolve(null));
  return promise.finally(() => clearTimeout(timer));
};

/** Reads lines of JSON objects; other lines are output of the program and are skipped. */
const readLines = (stream: Readable, read: (line: object) => void): void => {
  createInterface({ input: stream }).on("line", (line) => {
    if (!line.startsWith("{")) return;
    try {
      read(JSON.parse(line) as object);
    } catch {
      // not JSON
    }
  });
};
