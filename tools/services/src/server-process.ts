import { type ChildProcess, spawn } from "node:child_process";
import { closeSync, openSync } from "node:fs";
import type { ServerFolder, SystemUser } from "./server-folder.ts";
import { signalTree, untilEnded } from "./process-tree.ts";

/** Command and environment of a server. */
export interface ServerCommand {
  readonly program: string;
  readonly args: readonly string[];
  readonly folder: ServerFolder;
  readonly user?: SystemUser | null;
  readonly env?: Readonly<Record<string, string>>;
}

const alive = new Set<ServerProcess>();
/** Whether a listener kills the servers when this process ends. */
let hasExitListener = false;

/** The process of one server, which can be stopped, killed, paused and restarted with the same data. */
export class ServerProcess {
  private readonly command: ServerCommand;
  private child: ChildProcess | null = null;

  constructor(command: ServerCommand) {
    this.command = command;
  }

  get running(): boolean {
    return this.child !== null && this.child.exitCode === null && this.child.signalCode === null;
  }

  /** Starts it with its output in the log file of its folder: a pipe would keep the callers of this process waiting. */
  start(): void {
    const { program, args, folder, user, env } = this.command;
    const log = openSync(folder.at("log"), "a");
    const child = spawn(program, args, {
      cwd: folder.path,
      detached: true, // Ctrl-C must not reach the server: this process stops it
      env: { ...process.env, ...env },
      stdio: ["ignore", log, log],
      ...user,
    });
    closeSync(log);
    child.on("error", () => {}); // `running` turns false, and the readiness check reports the log
    child.unref();
    this.child = child;
    if (!hasExitListener) process.once("exit", killAll);
    hasExitListener = true;
    alive.add(this);
  }

  /** Signals the server and its descendants; returns their ids. */
  signal(signal: NodeJS.Signals): readonly number[] {
    return this.child?.pid !== undefined && this.running ? signalTree(this.child.pid, signal) : [];
  }

  /** Suspends the server and its descendants (SIGSTOP). */
  pause(): void {
    this.signal("SIGSTOP");
  }

  resume(): void {
    this.signal("SIGCONT");
  }

  /** Kills it with SIGKILL, like a crash of the machine; resolves when all descendants have also ended, because PostgreSQL does not start earlier. */
  async kill(): Promise<void> {
    let killed: readonly number[] = [];
    await this.end(() => (killed = this.signal("SIGKILL")));
    await untilEnded(killed);
  }

  /** Stops it with a signal, and with SIGKILL after `deadlineMs`. */
  async stop(signal: NodeJS.Signals = "SIGTERM", deadlineMs = 60_000): Promise<void> {
    const timer = setTimeout(() => this.signal("SIGKILL"), deadlineMs);
    await this.end(() => {
      this.resume();
      if (this.child?.pid !== undefined) process.kill(this.child.pid, signal);
    });
    clearTimeout(timer);
  }

  private async end(sendSignal: () => unknown): Promise<void> {
    alive.delete(this);
    const child = this.child;
    if (child === null || !this.running) return;
    const ended = new Promise<void>((resolve) => child.once("exit", () => resolve()));
    child.ref();
    sendSignal();
    await ended;
  }

  killNow(): void {
    this.signal("SIGKILL");
    this.command.folder[Symbol.dispose]();
  }
}

const killAll = (): void => {
  for (const server of alive) server.killNow();
};
