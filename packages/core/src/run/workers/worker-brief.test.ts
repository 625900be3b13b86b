import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "@jest/globals";

const program = fileURLToPath(new URL("../testing/fixtures/held.ts", import.meta.url));

const brief = {
  primary: 1,
  service: 0,
  url: "http://127.0.0.1:1",
  host: "127.0.0.1",
  port: 1,
  listeners: [],
  workers: 1,
  accepts: false,
};

interface HeldProgram {
  readonly child: ChildProcess;
  /** Lets the program call `run`, and resolves with its output up to its end or its `listening` line. */
  go(): Promise<string>;
}

/** Calls `use` with a program that waits before `run`. It has a worker's brief and a channel, but its parent is not the primary. */
const withHeldProgram = async (use: (program: HeldProgram) => Promise<void>): Promise<void> => {
  const folder = mkdtempSync(join(tmpdir(), "brief-"));
  const gate = join(folder, "gate");
  const child = spawn(process.execPath, ["--conditions=@framework/source", program, gate], {
    env: { ...process.env, FRAMEWORK_WORKER: JSON.stringify(brief) },
    stdio: ["ignore", "pipe", "inherit", "ipc"],
  });
  const ended = once(child, "exit"); // after `disconnect` Node does not report `close`
  let output = "";
  const outputWith = (text: string): Promise<void> =>
    new Promise((resolve) => {
      const check = (): void => void (output.includes(text) && resolve());
      child.stdout?.setEncoding("utf8").on("data", (part: string) => {
        output += part;
        check();
      });
      check();
    });
  try {
    await outputWith("held");
    await use({
      child,
      go: async () => {
        writeFileSync(gate, "");
        await Promise.race([ended, outputWith("listening")]);
        return output;
      },
    });
  } finally {
    child.kill("SIGKILL");
    await ended;
    rmSync(folder, { recursive: true });
  }
};

test("a starting worker exits if its primary dies, and does not become a separate service", async () => {
  await withHeldProgram(async ({ child, go }) => {
    const disconnected = once(child, "disconnect"); // the channel closes in a later turn
    child.disconnect();
    await disconnected;
    expect(await go()).toBe("held\n");
    expect(child.exitCode).toBe(0);
  });
});

test("a process that a worker starts with its own channel is a separate service", async () => {
  await withHeldProgram(async ({ go }) => expect(await go()).toContain("listening"));
});
