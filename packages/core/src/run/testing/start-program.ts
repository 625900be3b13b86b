import { type ChildProcess, spawn } from "node:child_process";
import { readFileSync } from "node:fs";

/** Exit status of a program. */
interface Exit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

/** The facts in the line that announces the program. */
interface ListeningLine {
  readonly url: string;
  readonly workers: number;
  readonly pid: number;
  readonly listeners?: readonly { readonly name: string; readonly port: number }[];
}

/** A program that runs as a separate process. */
export interface Program {
  readonly pid: number;
  /** Resolves with the program's `listening` line; rejects with its output if the program ends without it. */
  readonly listening: Promise<ListeningLine>;
  readonly exit: Promise<Exit>;
  /** Standard output so far. */
  stdout(): string;
  stderr(): string;
  /** Resolves when stderr contains this text. */
  waitFor(text: string): Promise<void>;
  kill(signal?: NodeJS.Signals): void;
  /** Closes the read end of its output, so that all later writes of the program fail. */
  closeOutput(): void;
}

const unshare = ["unshare", "--pid", "--fork", "--kill-child", "--mount-proc"];
const toFullDisk = ["sh", "-c", 'exec "$0" "$@" > /dev/full'];

/** The first child of a process, by its process id outside any namespace. */
const childOf = (pid: number): number =>
  Number(readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").trim().split(" ")[0]);

const running = new Set<ChildProcess>();

/** Options of a program's environment. */
export interface ProgramOptions {
  readonly cwd?: string;
  /** Whether it runs as PID 1 of a new namespace, in which `kill` still signals it. Needs `unshare` and the permission to use it. */
  readonly pidNamespace?: boolean;
  /** Whether its standard output is a file on a full disk. */
  readonly fullDisk?: boolean;
}

/** Starts a program file from source, with arguments and variables. */
export const startProgram = (
  file: string,
  args: readonly string[] = [],
  variables: Readonly<Record<string, string>> = {},
  { cwd, pidNamespace = false, fullDisk = false }: ProgramOptions = {},
): Program => {
  const { HOST: _host, PORT: _port, NODE_OPTIONS: _options, ...environment } = process.env;
  const command = [process.execPath, "--conditions=@framework/source", file, ...args];
  const before = [...(pidNamespace ? unshare : []), ...(fullDisk ? toFullDisk : [])];
  const [executable = "", ...rest] = [...before, ...command];
  const child = spawn(executable, rest, {
    env: { ...environment, ...variables },
    stdio: ["ignore", "pipe", "pipe"],
    ...(cwd !== undefined && { cwd }),
  });
  running.add(child);
  const output = { stdout: "", stderr: "" };
  let changed = Promise.withResolvers<void>();
  const notify = (): void => {
    changed.resolve();
    changed = Promise.withResolvers<void>();
  };
  for (const name of ["stdout", "stderr"] as const) {
    child[name].setEncoding("utf8").on("data", (text: string) => {
      output[name] += text;
      notify();
    });
  }
  let ended = false;
  const exit = new Promise<Exit>((resolve) => {
    child.once("close", (code, signal) => {
      running.delete(child);
      ended = true;
      resolve({ code, signal });
      notify();
    });
  });
  const until = async <T>(find: () => T | undefined, expected: string): Promise<T> => {
    for (let found = find(); ; found = find()) {
      if (found !== undefined) return found;
      if (ended)
        throw new Error(`the program ended without ${expected}:\n${output.stdout}\n${output.stderr}`);
      await changed.promise;
    }
  };
  const listening = until(() => listeningLine(output.stdout), "listening");
  listening.catch(() => {}); // a test that expects a failed start does not await it
  return {
    pid: child.pid ?? -1,
    listening,
    exit,
    stdout: () => output.stdout,
    stderr: () => output.stderr,
    waitFor: async (text) => {
      await until(() => output.stderr.includes(text) || undefined, text);
    },
    closeOutput: () => {
      child.stdout.destroy();
      child.stderr.destroy();
    },
    kill: (signal) => {
      if (pidNamespace) process.kill(childOf(child.pid ?? -1), signal);
      else child.kill(signal);
    },
  };
};

/** Ends every process that a test left running. */
export const endPrograms = async (): Promise<void> => {
  const left = [...running];
  await Promise.all(
    left.map(
      (child) =>
        new Promise((resolve) => {
          child.once("close", resolve);
          child.kill("SIGKILL");
        }),
    ),
  );
};

const listeningLine = (stdout: string): ListeningLine | undefined => {
  const line = stdout.split("\n").find((text) => text.includes('"event":"listening"'));
  return line === undefined ? undefined : (JSON.parse(line) as ListeningLine);
};
