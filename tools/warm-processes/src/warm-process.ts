import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { setTimeout as delay } from "node:timers/promises";
import { bundledProgram } from "@framework/bundled-sources";
import { BEGUN, READY } from "./until-go.ts";

/** A process that has loaded its program, and waits for its start signal. */
export class WarmProcess {
  /** Resolves when the program has called `untilGo`; rejects when it ends before. */
  readonly ready: Promise<void>;
  private readonly child: ChildProcess;
  private readonly ended: Promise<unknown>;

  constructor(program: URL, env: Readonly<Record<string, string>>) {
    this.child = spawn(process.execPath, ["--conditions=@framework/source", bundledProgram(program)], {
      stdio: ["pipe", "pipe", "inherit"],
      env: { ...process.env, NODE_OPTIONS: "", ...env },
    });
    this.child.stdout?.setEncoding("utf8").resume(); // other output is dropped
    this.child.stdin?.on("error", () => {}); // the process is gone, which `kill` reports
    this.ended = once(this.child, "exit");
    this.ready = this.untilReady();
    this.ready.catch(() => {}); // a standby process may be killed before it is used
  }

  /**
   * Lets the program work for some time, then kills it with SIGKILL.
   *
   * @param beginTimeoutMs maximum wait for the call of `hasBegun`, from which the time then counts; 0 counts it from `go`
   * @throws when it has ended by itself
   */
  async work(ms: number, beginTimeoutMs: number): Promise<void> {
    this.child.stdin?.write("go\n");
    if (beginTimeoutMs > 0) await this.endedOr(this.printed(BEGUN), beginTimeoutMs);
    await this.endedOr(new Promise(() => {}), ms);
    await this.kill();
  }

  /** Kills the process with SIGKILL. @throws when it has ended by itself */
  async kill(): Promise<void> {
    this.child.kill("SIGKILL");
    await this.ended;
    if (this.child.signalCode !== "SIGKILL")
      throw new Error(`the process ended by itself, with ${this.child.exitCode ?? this.child.signalCode}`);
  }

  /** Resolves when the process ends, when the promise resolves, or after `maxMs`. */
  private async endedOr(promise: Promise<void>, maxMs: number): Promise<void> {
    const timer = new AbortController();
    await Promise.race([promise, delay(maxMs, null, { signal: timer.signal }), this.ended]);
    timer.abort();
  }

  private async untilReady(): Promise<void> {
    const isReady = await Promise.race([this.printed(READY).then(() => true), this.ended.then(() => false)]);
    if (!isReady) throw new Error("the process ended before it was ready");
  }

  /** Resolves when the process has printed a line. */
  private printed(line: string): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    let text = "";
    const look = (chunk: string): void => {
      text += chunk;
      if (!text.includes(line)) return;
      this.child.stdout?.off("data", look);
      resolve();
    };
    this.child.stdout?.on("data", look);
    return promise;
  }
}
