import { spawn } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "@jest/globals";
import { waitFor } from "@framework/testing";
import { plainEnvironment } from "../plain-environment.test-kit.ts";
import { runCli } from "../run-cli.test-kit.ts";
import { serviceProject } from "../service.test-kit.ts";
import { readKeys, type KeyCommand } from "./keys.ts";

const main = join(import.meta.dirname, "../main.ts");

test("a change is served without a restart of the command, and SIGINT stops the service gracefully", async () => {
  const cwd = serviceProject("");
  const child = spawn(process.execPath, ["--conditions=@framework/source", main, "dev", "--port", "0"], {
    cwd,
    env: plainEnvironment,
    stdio: ["ignore", "pipe", "inherit"],
  });
  let out = "";
  child.stdout.on("data", (piece: Buffer) => (out += piece.toString()));
  const exited = new Promise((resolve) => child.once("exit", resolve));
  try {
    const [, url = ""] = await waitFor(() => /"url":"([^"]+)"/.exec(out), { timeoutMs: 60_000 });
    expect(await (await fetch(url)).text()).toBe("hello");
    const path = join(cwd, "main.ts");
    writeFileSync(path, readFileSync(path, "utf8").replace('"hello"', '"changed"'));
    await waitFor(async () => (await (await fetch(url)).text()) === "changed", { timeoutMs: 60_000 });
    child.kill("SIGINT");
    expect(await exited).toBe(0);
  } finally {
    child.kill("SIGKILL");
  }
});

test("the service stops gracefully when the command is killed", async () => {
  const cwd = serviceProject('app.onEvent("shutdown", () => console.log("stopped gracefully"));');
  const child = spawn(process.execPath, ["--conditions=@framework/source", main, "dev", "--port", "0"], {
    cwd,
    env: plainEnvironment,
    stdio: ["ignore", "pipe", "inherit"],
  });
  let out = "";
  child.stdout.on("data", (piece: Buffer) => (out += piece.toString()));
  const closed = new Promise((resolve) => child.stdout.once("end", resolve)); // the pipe closes when the last process of the service ends
  const [, url = ""] = await waitFor(() => /"url":"([^"]+)"/.exec(out), { timeoutMs: 60_000 });
  child.kill("SIGKILL");
  await closed;
  expect(out).toContain("stopped gracefully");
  await expect(fetch(url)).rejects.toThrow("fetch failed");
});

test("a change of .env restarts the program, and with --json the service prints to stderr", async () => {
  const cwd = serviceProject(
    'const { readFileSync } = await import("node:fs");\napp.get("/env", () => readFileSync(".env", "utf8") + process.pid);',
  );
  writeFileSync(join(cwd, ".env"), "A=1 ");
  const child = spawn(
    process.execPath,
    ["--conditions=@framework/source", main, "dev", "--port", "0", "--json"],
    {
      cwd,
      env: plainEnvironment,
      stdio: ["ignore", "pipe", "pipe"],
    },
  );
  let [out, err] = ["", ""];
  child.stdout.on("data", (piece: Buffer) => (out += piece.toString()));
  child.stderr.on("data", (piece: Buffer) => (err += piece.toString()));
  const exited = new Promise((resolve) => child.once("close", resolve));
  try {
    const [, url = ""] = await waitFor(() => /"url":"([^"]+)"/.exec(err), { timeoutMs: 60_000 });
    const readEnv = async (): Promise<string> => (await fetch(`${url}/env`)).text();
    const [, pid = ""] = (await readEnv()).split(" ");
    writeFileSync(join(cwd, ".env"), "A=2 ");
    // Checks the polled text: a further request could use a connection to the earlier program, which may end at any time.
    const changed = await waitFor(
      async () => {
        const text = await readEnv();
        return !text.endsWith(` ${pid}`) && text;
      },
      { timeoutMs: 60_000 },
    );
    expect(changed).toMatch("A=2 ");
    child.kill("SIGINT");
    await exited;
    expect(JSON.parse(out)).toEqual({ exitCode: 0 });
  } finally {
    child.kill("SIGKILL");
  }
});

test("a program that exits by itself, such as a module that only exports an app, is a failure", async () => {
  const cwd = mkdtempSync(join(tmpdir(), "cli-"));
  writeFileSync(join(cwd, "app.mjs"), "export const app = 1;");
  const { exitCode, err } = await runCli(["dev", "app.mjs"], { cwd, environment: plainEnvironment });
  expect([exitCode, err]).toEqual([1, expect.stringContaining("app.mjs ended by itself with exit code 0")]);
});

test("the error names a missing program", async () => {
  const cwd = mkdtempSync(join(tmpdir(), "cli-"));
  const given = await runCli(["dev", "src/nope.ts"], { cwd });
  expect([given.exitCode, given.err]).toEqual([
    1,
    expect.stringContaining(`there is no file src/nope.ts in ${cwd}\n`),
  ]);
  writeFileSync(join(cwd, "package.json"), JSON.stringify({ scripts: { start: "node src/gone.ts" } }));
  expect((await runCli(["dev"], { cwd })).err).toContain(
    `there is no file src/gone.ts in ${cwd}, which the script start of package.json names; name it: framework dev`,
  );
});

test("SIGINT while the program is loading ends the command without an error", async () => {
  const cwd = mkdtempSync(join(tmpdir(), "cli-"));
  writeFileSync(join(cwd, "main.mjs"), 'console.log("loading"); setInterval(() => {}, 60_000);');
  const child = spawn(process.execPath, ["--conditions=@framework/source", main, "dev", "main.mjs"], {
    cwd,
    env: plainEnvironment,
    stdio: ["ignore", "pipe", "inherit"],
  });
  let out = "";
  child.stdout.on("data", (piece: Buffer) => (out += piece.toString()));
  const exited = new Promise((resolve) => child.once("exit", resolve));
  try {
    await waitFor(() => out.includes("loading"), { timeoutMs: 60_000 });
    child.kill("SIGINT");
    expect(await exited).toBe(0);
  } finally {
    child.kill("SIGKILL");
  }
});

/** `script` of util-linux runs a command on its own terminal, and forwards its input. */
const SCRIPT = "/usr/bin/script";

test("on a terminal r restarts the service, and q stops it gracefully and restores the terminal", async () => {
  if (process.platform !== "linux" || !existsSync(SCRIPT)) return; // not skipped, because in CI a skipped test is a failure
  const cwd = serviceProject('app.get("/pid", () => String(process.pid));');
  const command = [process.execPath, "--conditions=@framework/source", main, "dev", "--port", "0"].join(" ");
  const child = spawn(
    SCRIPT,
    ["--quiet", "--return", "--flush", "--command", `${command}; stty -a`, "/dev/null"],
    {
      cwd,
      env: { PATH: process.env["PATH"], SHELL: "/bin/sh", TERM: "dumb" },
      stdio: ["pipe", "pipe", "inherit"],
    },
  );
  let out = "";
  child.stdout.on("data", (piece: Buffer) => (out += piece.toString()));
  const exited = new Promise((resolve) => child.once("exit", resolve));
  const ports = (): string[] => [
    ...new Set(Array.from(out.matchAll(/http:\/\/127\.0\.0\.1:(\d+)/g), ([, port = ""]) => port)),
  ];
  const pidAt = async (port = ""): Promise<string> => (await fetch(`http://127.0.0.1:${port}/pid`)).text();
  try {
    await waitFor(() => ports().length === 1, { timeoutMs: 60_000 });
    expect(out).toContain("framework dev: r restarts, q quits");
    const first = await pidAt(ports()[0]);
    child.stdin.write("r");
    await waitFor(() => ports().length === 2, { timeoutMs: 60_000 });
    expect(await pidAt(ports()[1])).not.toBe(first);
    await expect(pidAt(ports()[0])).rejects.toThrow("fetch failed");
    child.stdin.write("q");
    expect(await exited).toBe(0);
    await expect(pidAt(ports()[1])).rejects.toThrow("fetch failed");
    expect(out).toMatch(/ icanon .* echo /s); // raw mode disables both
  } finally {
    child.kill("SIGKILL");
  }
});

test("keys on a terminal are commands; other inputs are not read", () => {
  const commands: KeyCommand[] = [];
  const raws: boolean[] = [];
  let press = (_keys: string): void => {};
  const keyboard = (isTTY: boolean) => ({
    isTTY,
    setRawMode: (raw: boolean) => raws.push(raw),
    on: (_event: string, listener: typeof press) => (press = listener),
    off: () => (press = () => {}),
    resume: () => {},
    pause: () => {},
  });
  readKeys(keyboard(false), (command) => commands.push(command))();
  press("q");
  expect([commands, raws]).toEqual([[], []]);
  const stop = readKeys(keyboard(true), (command) => commands.push(command));
  press("rxq\u0003r");
  stop();
  press("r");
  expect([commands, raws]).toEqual([
    ["restart", "quit", "quit"],
    [true, false],
  ]);
});
