import { type ChildProcess, spawn } from "node:child_process";
import { Socket } from "node:net";
import { fileURLToPath } from "node:url";
import type { Part, ReadRequest, ReaderData } from "./read-protocol.ts";

/** File descriptor of the pipe to the reading process. */
const PIPE_FD = 4;

/** Handle of the reading process. It processes one request at a time, and keeps this process alive only while it starts, serves a request or exits. */
export class ReaderHandle {
  private readonly child: ChildProcess;
  private readonly exited: Promise<unknown>;
  /** Resolves when the process is ready; rejects if it cannot be started. */
  readonly ready: Promise<Part>;
  private pending: PromiseWithResolvers<Part> | null;
  private hasStarted = false;
  private hasEnded = false;
  private hasBeenKilled = false;

  constructor(data: ReaderData) {
    const start = Promise.withResolvers<Part>();
    this.pending = start;
    this.ready = start.promise;
    this.child = spawn(process.execPath, [...execArgv, fileURLToPath(program()), JSON.stringify(data)], {
      // The pipe closes whenever this process ends, which ends the reader.
      stdio: ["ignore", "ignore", "ignore", "ipc", "pipe"],
      serialization: "advanced",
      env: { ...process.env, NODE_OPTIONS: "", NODE_UNIQUE_ID: undefined },
      windowsHide: true,
    });
    const ended = Promise.withResolvers<void>();
    this.exited = ended.promise;
    this.child.on("message", (part: Part) => {
      this.hasStarted = true;
      this.takePending()?.resolve(part);
    });
    this.child.on("error", (error) => {
      this.fail(error);
      ended.resolve(); // there may be no exit event
    });
    this.child.on("exit", () => {
      this.fail(new Error("the process ended"));
      ended.resolve();
    });
  }

  /** Whether its program has started. */
  get started(): boolean {
    return this.hasStarted;
  }

  get ended(): boolean {
    return this.hasEnded;
  }

  /** Whether it was ended by `end`. */
  get killed(): boolean {
    return this.hasBeenKilled;
  }

  /** Sends a request, or with `null` requests more rows. Rejects if the process ends first. */
  request(request: ReadRequest | null): Promise<Part> {
    this.pending = Promise.withResolvers();
    this.keepAlive(true);
    this.child.send(request ?? "more", (error) => {
      if (error !== null) this.fail(error);
    });
    return this.pending.promise;
  }

  /** Kills the process, even during a statement. Resolves when it has ended. */
  async end(): Promise<void> {
    this.hasBeenKilled = true;
    this.fail(new Error("the process was killed"));
    this.child.kill("SIGKILL");
    this.child.ref(); // a program that waits only for this must not exit before it
    await this.exited;
  }

  private fail(error: unknown): void {
    this.hasEnded = true;
    this.takePending()?.reject(error);
  }

  private takePending(): PromiseWithResolvers<Part> | null {
    this.keepAlive(false);
    const pending = this.pending;
    this.pending = null;
    return pending;
  }

  private keepAlive(isBusy: boolean): void {
    const { child } = this;
    const pipe = child.stdio[PIPE_FD];
    // Bun's channel has neither method.
    const handles: readonly (Partial<Pick<ChildProcess, "ref" | "unref">> | null | undefined)[] = [
      child,
      child.channel,
      pipe instanceof Socket ? pipe : null,
    ];
    for (const handle of handles) {
      if (isBusy) handle?.ref?.();
      else handle?.unref?.();
    }
  }
}

/**
 * Options of Node.js for the reading process. Those of this process are not inherited: some, such as `--input-type` and `--inspect`, would fail. This
 * process has already printed the warning about SQLite.
 */
const execArgv: readonly string[] = ["--disable-warning=ExperimentalWarning"];

/** Returns the URL of the reader program: the source next to this file, or the built file relative to the bundle. */
const program = (): URL =>
  import.meta.url.endsWith(".ts")
    ? new URL("./reader-program.ts", import.meta.url)
    : new URL("../sqlite/reader-program.js", import.meta.url);
