import { spawn } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "@jest/globals";
import { waitFor } from "@framework/testing";
import { serviceProject } from "../service.test-kit.ts";
import { readKeys, type Wish } from "./keys.ts";

const main = join(import.meta.dirname, "../main.ts");

test("a change is served without a restart of the command, and SIGINT ends the service in order", async () => {
  const cwd = serviceProject("");
  const child = spawn(process.execPath, ["--conditions=@framework/source", main, "dev", "--port", "0"], {
    cwd,
    env: { PATH: process.env["PATH"] },
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

test("keys of a terminal are wishes; other inputs are not read", () => {
  const wishes: Wish[] = [];
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
  readKeys(keyboard(false), (wish) => wishes.push(wish))();
  expect(raws).toEqual([]);
  const stop = readKeys(keyboard(true), (wish) => wishes.push(wish));
  press("rxq\u0003");
  stop();
  press("r");
  expect([wishes, raws]).toEqual([
    ["restart", "quit", "quit"],
    [true, false],
  ]);
});
