import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { bundledProgram } from "@framework/bundled-sources";
import { requestEveryWorker, type Program, startProgram, waitFor } from "@framework/testing";
import { afterAll, beforeAll, expect, test } from "@jest/globals";

interface Value {
  readonly version: number;
  readonly pid: number;
  readonly dropped: number;
}

/** Sends a request on a new connection, so that any worker may reply. */
const send = (program: Program, method: string, path: string): Promise<Value & { outcome: unknown }> =>
  new Promise((resolve, reject) => {
    const clientRequest = request(new URL(path, program.url), { method, agent: false }, (reply) => {
      let text = "";
      reply.setEncoding("utf8").on("data", (chunk: string) => (text += chunk));
      reply.on("end", () => resolve({ ...(JSON.parse(text) as Value), outcome: reply.headers["x-cache"] }));
      reply.on("error", reject);
    });
    clientRequest.on("error", reject);
    clientRequest.end();
  });

/** Returns the versions in the replies of all four workers. */
const versions = async (program: Program): Promise<ReadonlySet<number>> => {
  const get = () => send(program, "GET", "/value");
  const values = await requestEveryWorker({ workers: 4, send: get, pidOf: ({ pid }) => pid });
  return new Set(values.map(({ version }) => version));
};

/** Sends requests until every worker has stored the value. */
const fill = (program: Program): Promise<unknown> =>
  requestEveryWorker({
    workers: 4,
    send: () => send(program, "GET", "/value"),
    pidOf: ({ outcome, pid }) => (outcome === "HIT" ? pid : NaN),
  });

const folder = mkdtempSync(join(tmpdir(), "cache-"));
let program: Program;

beforeAll(async () => {
  const file = join(folder, "version");
  writeFileSync(file, "1");
  program = await startProgram(bundledProgram(new URL("./versions.test-program.ts", import.meta.url)), {
    args: ["--workers", "4"],
    env: { VERSION_FILE: file, FRAMEWORK_ENV: "production" },
    conditions: ["@framework/source"],
    timeoutMs: 60_000,
  });
});

afterAll(async () => {
  await program.stop();
  rmSync(folder, { recursive: true, force: true });
});

test("once invalidateCache resolves or a write has its reply, every worker has dropped the value; the count includes all workers", async () => {
  for (let round = 0; round < 5; round++) {
    await fill(program);
    const { version, dropped } = await send(program, "POST", "/change");
    expect(await versions(program)).toEqual(new Set([version]));
    expect(dropped).toBe(4);
  }
  for (let round = 0; round < 5; round++) {
    await fill(program);
    const { version } = await send(program, "POST", "/value");
    expect(await versions(program)).toEqual(new Set([version]));
  }
});

test("a worker restarted during a drop serves no older reply", async () => {
  for (let round = 0; round < 3; round++) {
    await fill(program);
    const crashing = send(program, "POST", "/crash").catch(() => null); // the connection may be lost with the worker
    const reply = await waitFor(() => send(program, "POST", "/change").catch(() => null));
    await crashing;
    const { version } = reply;
    const seen = (
      await Promise.allSettled(Array.from({ length: 40 }, () => send(program, "GET", "/value")))
    ).flatMap((result) => (result.status === "fulfilled" ? [result.value.version] : []));
    expect(seen.length).toBeGreaterThan(20);
    expect(new Set(seen)).toEqual(new Set([version]));
  }
});
