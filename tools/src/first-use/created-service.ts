import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { setTimeout as delay } from "node:timers/promises";

/** A running program of a created service. */
export interface RunningService {
  /** Its address, without a trailing slash. */
  readonly url: string;
  /** Sends SIGTERM to its first process only. @throws Error unless the exit code is 0 */
  stop(): Promise<void>;
  /** Sends SIGINT to all of its processes, as Ctrl-C does; resolves with the output when all have ended. */
  interrupt(): Promise<string>;
}

const children = new Set<ChildProcess>();

/** Ends the remaining programs of a failed test. */
export const endServices = (): void => {
  for (const child of children) signalGroup(child, "SIGKILL");
};

/**
 * Starts a program in a folder, on a free port unless its variables name one, and resolves when it listens.
 *
 * @param words the program and its arguments; `node` is the one that runs this test
 * @param env all of its variables except PATH
 * @throws Error with its output if it ends before it listens
 */
export const startProgram = async (
  cwd: string,
  words: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
): Promise<RunningService> => {
  const [program = "", ...args] = words;
  const child = spawn(program === "node" ? process.execPath : program, args, {
    cwd,
    env: { PATH: process.env["PATH"], PORT: "0", ...env },
    detached: true, // a separate process group, like a job of a shell
  });
  children.add(child);
  const exited = once(child, "close").finally(() => children.delete(child));
  let output = "";
  let url: string | undefined;
  const listening = new Promise<void>((resolve) => {
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding("utf8").on("data", (text: string) => {
        output += text;
        url ??= /"url":"(http[^"]+)"/.exec(output)?.[1];
        if (url !== undefined) resolve();
      });
  });
  await Promise.race([listening, exited]);
  if (url === undefined) throw new Error(`the service ended before it listened:\n${output}`);
  return {
    url,
    async stop() {
      child.kill("SIGTERM");
      await exited;
      if (child.exitCode !== 0) throw new Error(`exit ${child.exitCode} ${child.signalCode}:\n${output}`);
    },
    async interrupt() {
      signalGroup(child, "SIGINT");
      await exited;
      return output;
    },
  };
};

const signalGroup = ({ pid }: ChildProcess, signal: NodeJS.Signals): void => {
  if (pid !== undefined) process.kill(-pid, signal);
};

/** Clients that send requests to the services in rotation until they are stopped, each client sequentially. */
export interface Clients {
  /** Services that receive new requests. */
  readonly targets: RunningService[];
  readonly replies: { readonly url: string; readonly status: number }[];
  /** Requests without a reply. */
  readonly failures: unknown[];
  stop(): Promise<void>;
}

/** Starts `count` clients; each sends at most one request every 5 ms. */
export const startClients = (path: string, count: number, targets: RunningService[]): Clients => {
  const replies: { url: string; status: number }[] = [];
  const failures: unknown[] = [];
  let isStopped = false;
  let sent = 0;
  const client = async (): Promise<void> => {
    while (!isStopped) {
      const { url } = targets[sent++ % targets.length] as RunningService;
      try {
        const reply = await fetch(url + path);
        await reply.text();
        replies.push({ url, status: reply.status });
      } catch (error) {
        failures.push(error);
      }
      await delay(5);
    }
  };
  const all = Array.from({ length: count }, client);
  return {
    targets,
    replies,
    failures,
    async stop() {
      isStopped = true;
      await Promise.all(all);
    },
  };
};

/** Repeats a request until the reply matches, also after a refused connection. @throws Error after a minute */
export const untilReply = async (
  url: string,
  fits: (reply: { readonly status: number; readonly text: string }) => boolean,
): Promise<void> => {
  const deadline = performance.now() + 60_000;
  let last: unknown = null;
  while (performance.now() < deadline) {
    try {
      const reply = await fetch(url, { headers: { connection: "close" } });
      const received = { status: reply.status, text: await reply.text() };
      if (fits(received)) return;
      last = received;
    } catch (error) {
      last = error;
    }
    await delay(50);
  }
  throw new Error(`${url} does not send the expected reply: ${JSON.stringify(last)}`);
};
