import { spawnSync } from "node:child_process";
import { mkdtempDisposableSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "@jest/globals";

const core = join(import.meta.dirname, "../index.ts");
const { PATH, NODE_COMPILE_CACHE } = process.env; // the cache holds the compiled sources

/** A background task that waits for a timer which keeps no process alive, in an app that is stopped meanwhile. */
const program = `
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
`;

test("stop waits for what keeps no process alive, and runs the shutdown handlers", () => {
  using folder = mkdtempDisposableSync(join(tmpdir(), "kept-alive-"));
  const path = join(folder.path, "main.ts");
  writeFileSync(path, program);
  const { stdout, status } = spawnSync(process.execPath, [path], {
    encoding: "utf8",
    env: { PATH, NODE_COMPILE_CACHE },
  });
  expect([stdout, status]).toEqual(["task\nshutdown\nstopped\n", 0]);
});
