import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { freePort } from "@framework/services/free-port";
import { waitFor } from "@framework/testing";
import { API_KEY } from "./contract/exchanges.ts";

const { NODE_OPTIONS: _flagsOfJest, ...inherited } = process.env;
const folder = join(import.meta.dirname, "..");
const running: AsyncDisposable[] = [];

beforeAll(() => {
  const rolldown = fileURLToPath(
    import.meta.resolve("rolldown/package.json").replace("package.json", "bin/cli.mjs"),
  );
  execFileSync(process.execPath, [rolldown, "--config", "rolldown.config.js"], {
    cwd: folder,
    env: inherited,
  });
});

afterAll(async () => {
  for (const service of running) await service[Symbol.asyncDispose]();
});

test.concurrent.each([
  ["this framework", "src/framework/main.ts"],
  ["Express", "src/express/main.ts"],
  ["Fastify", "src/fastify/main.ts"],
  ["Hono", "src/hono/main.ts"],
  ["Nest", ".cache/nest.mjs"],
])("the program of %s listens on the given port", async (_name, file) => {
  const port = await freePort();
  const child = spawn(process.execPath, ["--conditions=@framework/source", file], {
    cwd: folder,
    env: { ...inherited, PORT: String(port), API_KEY },
    stdio: "ignore",
  });
  running.push({
    async [Symbol.asyncDispose]() {
      const ended = once(child, "exit");
      if (child.kill()) await ended;
    },
  });
  const healthStatus = async () => (await fetch(`http://127.0.0.1:${port}/health`)).status;
  expect(await waitFor(healthStatus, { subject: `${file} to reply` })).toBe(200);
});
