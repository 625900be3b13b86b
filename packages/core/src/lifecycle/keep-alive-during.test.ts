import { spawnSync } from "node:child_process";
import { mkdtempDisposableSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "@jest/globals";

const [core, feature] = ["../index.ts", "../feature.ts"].map((path) => join(import.meta.dirname, path));
const { PATH, NODE_COMPILE_CACHE } = process.env; // the cache holds the compiled sources

/** Runs a program in a separate process. Returns its output and its exit code. */
const runProgram = (program: string): readonly [string, number | null] => {
  using folder = mkdtempDisposableSync(join(tmpdir(), "keep-alive-during-"));
  const path = join(folder.path, "main.ts");
  writeFileSync(path, program);
  const { stdout, status } = spawnSync(process.execPath, [path], {
    encoding: "utf8",
    env: { PATH, NODE_COMPILE_CACHE },
  });
  return [stdout, status];
};

test("stop waits for work that does not keep the process alive, and runs the shutdown handlers", () => {
  // A background task waits for an unreferenced timer while the app is stopped.
  const result = runProgram(`
import { App } from ${JSON.stringify(core)};
const app = new App();
app.onEvent("shutdown", () => console.log("shutdown"));
app.get("/", (request) => {
  request.defer(() => new Promise((resolve) => setTimeout(resolve, 20).unref()).then(() => console.log("task")));
  return "";
});
await (await app.fetch(new Request("http://localhost/"))).text();
await app.stop();
console.log("stopped");
`);
  expect(result).toEqual(["task\nshutdown\nstopped\n", 0]);
});

test("a process runs until the last `keepAlive` is released", () => {
  const result = runProgram(`
import { keepAlive, keepAliveDuring, systemClock } from ${JSON.stringify(feature)};
const release = keepAlive();
const releaseEarly = keepAlive();
releaseEarly();
releaseEarly();
systemClock.after(20, () => {
  console.log("released");
  release();
});
systemClock.after(60_000, () => console.log("too late"));
await keepAliveDuring(() => new Promise((resolve) => systemClock.after(10, resolve)));
console.log("settled");
`);
  expect(result).toEqual(["settled\nreleased\n", 0]);
});
