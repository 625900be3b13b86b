import { type ChildProcessByStdio, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import type { Readable, Writable } from "node:stream";
import { fileURLToPath } from "node:url";

/** Finds a Python with the module `websockets`: Debian's, with the package python3-websockets, or the Python on PATH; `null` without one. */
export const findPython = (): string | null =>
  ["/usr/bin/python3", "python3"].find(
    (python) => spawnSync(python, ["-c", "import websockets"], { stdio: "ignore" }).status === 0,
  ) ?? null;

/** A step of the client; each has a result. */
export type Step =
  | readonly ["text" | "binary" | "ping", string]
  | readonly ["fragments", readonly string[]]
  | readonly ["receive" | "closed"]
  | readonly ["echo", kind: "text" | "binary", size: number]
  | readonly ["close", code: number, reason: string];

/** Connection options of a client. */
export interface ClientOptions {
  readonly deflate?: boolean;
  readonly protocols?: readonly string[];
}

/** Results of a connected client, or the status of its refusal. */
export type ClientResult =
  | {
      readonly protocol: string | null;
      readonly extensions: string | null;
      readonly results: readonly unknown[];
    }
  | { readonly refused: number };

const script = fileURLToPath(new URL("./python-client.py", import.meta.url));

type Line = { readonly id: number } & ({ readonly seen: ClientResult } | { readonly failure: string });

/** Runs all clients in one process, because starting a process takes longer than most clients. */
export class PythonClients implements AsyncDisposable {
  private readonly child: ChildProcessByStdio<Writable, Readable, null>;
  private readonly pending = new Map<number, PromiseWithResolvers<ClientResult>>();
  private started = 0;

  constructor(python: string) {
    const env = { ...process.env, NO_PROXY: "*" };
    this.child = spawn(python, [script], { env, stdio: ["pipe", "pipe", "inherit"] });
    this.child.stdin.on("error", () => {}); // the process has exited; its exit event reports it
    this.child.once("close", () => {
      for (const { reject } of this.pending.values()) reject(new Error("the clients' process exited"));
    });
    createInterface(this.child.stdout).on("line", (line) => this.settle(JSON.parse(line) as Line));
  }

  /** Runs the steps of one client. */
  run(
    url: string,
    steps: readonly Step[],
    { deflate = false, protocols = [] }: ClientOptions = {},
  ): Promise<ClientResult> {
    const id = ++this.started;
    const end = Promise.withResolvers<ClientResult>();
    this.pending.set(id, end);
    const client = { id, url: url.replace("http", "ws"), steps, deflate, protocols };
    this.child.stdin.write(`${JSON.stringify(client)}\n`);
    return end.promise;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.child.exitCode !== null || this.child.signalCode !== null) return;
    const exited = once(this.child, "close");
    this.child.kill("SIGKILL");
    await exited;
  }

  private settle(line: Line): void {
    const end = this.pending.get(line.id);
    this.pending.delete(line.id);
    if ("seen" in line) end?.resolve(line.seen);
    else end?.reject(new Error(`the client failed\n${line.failure}`));
  }
}
