import { Worker } from "node:worker_threads";
import type { Part, Question, ReadWorkerData } from "./read-protocol.ts";

/** Handle of the reading thread: one request at a time; it keeps the process alive only during a request. */
export class ReadWorkerHandle {
  private readonly worker: Worker;
  /** Rejects when the thread cannot be started. */
  readonly ready: Promise<Part>;
  private open: PromiseWithResolvers<Part> | null;
  private hasStarted = false;
  private hasEnded = false;

  constructor(data: ReadWorkerData) {
    const start = Promise.withResolvers<Part>();
    this.open = start;
    this.ready = start.promise;
    this.worker = new Worker(program(), { name: "database-read", workerData: data, execArgv });
    this.worker.on("message", (part: Part) => {
      this.hasStarted = true;
      this.close()?.resolve(part);
    });
    this.worker.on("error", (error) => this.fail(error));
    this.worker.on("exit", () => this.fail(new Error("the thread ended")));
  }

  /** Whether its program has started. */
  get started(): boolean {
    return this.hasStarted;
  }

  get ended(): boolean {
    return this.hasEnded;
  }

  /** Rejects when the thread ends first. */
  ask(question: Question | null): Promise<Part> {
    this.open = Promise.withResolvers();
    this.worker.ref();
    this.worker.postMessage(question);
    return this.open.promise;
  }

  /** Resolves when the thread has ended, which is after SQLite's current statement. */
  async end(): Promise<void> {
    this.fail(new Error("the thread was abandoned"));
    await this.worker.terminate();
  }

  private fail(error: unknown): void {
    this.hasEnded = true;
    this.close()?.reject(error);
  }

  private close(): PromiseWithResolvers<Part> | null {
    this.worker.unref();
    const open = this.open;
    this.open = null;
    return open;
  }
}

/** Not those of the process: some, such as `--input-type`, prevent a thread from starting. SQLite's warning was printed already. */
const execArgv: string[] = ["--disable-warning=ExperimentalWarning"];

/** The sibling file, as source or built. */
const program = (): URL =>
  import.meta.url.endsWith(".ts")
    ? new URL("./read-worker.ts", import.meta.url)
    : new URL("./read-worker.js", import.meta.url);
