import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { setTimeout as delay } from "node:timers/promises";
import { bundledProgram } from "@framework/bundled-sources";
import { BEGUN, READY } from "./until-go.ts";

/** A process that has loaded its program, and waits for its start signal. */
export class WarmProcess {
  /** Resolves when the program has called `untilGo`; rejects if the process exits first. */
  readonly ready: Promise<void>;
  private readonly child: ChildProcess;
  private readonly exited: Promise<unknown>;

  constructor(program: URL, env: Readonly<Record<string, string>>) {
    this.child = spawn(process.execPath, ["--conditions=@framework/source", bundledProgram(program)], {
      stdio: ["pipe", "pipe", "inherit"],
      env: { ...process.env, NODE_OPTIONS: "", ...env },
    });
    this.child.stdout?.setEncoding("utf8").resume(); // other output is dropped
    this.child.stdin?.on("error", () => {}); // the process has exited, which `kill` reports
    this.exited = once(this.child, "exit");
    this.ready = this.untilReady();
    this.ready.catch(() => {}); // a standby process may be killed before it is used
  }

  /**
   * Sends `go`, lets the program work for `ms` milliseconds, then kills it with SIGKILL.
   *
   * @param beginTimeoutMs Maximum wait for `hasBegun()`; `ms` starts at that call, or at the timeout. 0: `ms` starts at `go`.
   * @throws if the process exits before it is killed
   */
  async work(ms: number, beginTimeoutMs: number): Promise<void> {
    this.child.stdin?.write("go\n");
    if (beginTimeoutMs > 0) await this.untilExitOr(this.printed(BEGUN), beginTimeoutMs);
    await this.untilExitOr(new Promise(() => {}), ms);
    await this.kill();
  }

  /** Kills the process with SIGKILL. @throws if it has exited before */
  async kill(): Promise<void> {
    this.child.kill("SIGKILL");
    await this.exited;
    const { exitCode, signalCode } = this.child;
    if (signalCode === "SIGKILL") return;
    const reason = exitCode === null ? `signal ${signalCode}` : `exit code ${exitCode}`;
    throw new Error(`the process exited before it was killed: ${reason}`);
  }

  /** Resolves when the process exits, when the promise resolves, or after `maxMs`. */
  private async untilExitOr(promise: Promise<void>, maxMs: number): Promise<void> {
    const timer = new AbortController();
    await Promise.race([promise, delay(maxMs, null, { signal: timer.signal }), this.exited]);
    timer.abort();
  }

  private async untilReady(): Promise<void> {
    const isReady = await Promise.race([this.printed(READY).then(() => true), this.exited.then(() => false)]);
    if (!isReady) throw new Error("the process exited before it was ready");
  }

  /** Resolves when the process has printed this whole line. */
  private printed(line: string): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    let text = "\n";
    const look = (chunk: string): void => {
      text += chunk;
      if (!text.includes(`\n${line}`)) return;
      this.child.stdout?.off("data", look);
      resolve();
    };
    this.child.stdout?.on("data", look);
    return promise;
  }
}
