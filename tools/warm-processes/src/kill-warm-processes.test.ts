import { mkdtempDisposableSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { seededRandom } from "@framework/testing";
import { expect, test } from "@jest/globals";
import { killWarmProcesses } from "./index.ts";

const program = new URL("./counting.test-program.ts", import.meta.url);

test("processes are killed after they have worked for some milliseconds each, and none works before `go`", async () => {
  using folder = mkdtempDisposableSync(join(tmpdir(), "warm-"));
  const file = join(folder.path, "lines");
  const { kills, workedMs, tookMs } = await killWarmProcesses({
    program,
    env: (at) => ({ FILE: file, AT: String(at) }),
    workingMs: 400,
    minKills: 20,
    random: seededRandom(1),
  });
  const workers = new Set(readFileSync(file, "utf8").trim().split("\n"));
  expect(kills).toBeGreaterThanOrEqual(20);
  expect(workedMs).toBeGreaterThanOrEqual(400);
  expect(tookMs).toBeGreaterThanOrEqual(workedMs / 2);
  expect(workers.size).toBeGreaterThan(1);
  expect(workers.size).toBeLessThanOrEqual(kills);
});

test("a process that ends by itself is an error", async () => {
  const killing = killWarmProcesses({
    program,
    env: () => ({ END: "1" }),
    meanLifeMs: 60_000,
    workingMs: 60_000,
    random: () => 0.5,
  });
  await expect(killing).rejects.toThrow("the process ended by itself, with 3");
});

test("a process that does not begin, because no work remains, is killed after a timeout", async () => {
  using folder = mkdtempDisposableSync(join(tmpdir(), "warm-"));
  const { kills } = await killWarmProcesses({
    program,
    env: (at) => ({ FILE: join(folder.path, "lines"), AT: String(at) }),
    callsHasBegun: true,
    beginTimeoutMs: 30,
    workingMs: 50,
    minKills: 4,
  });
  expect(kills).toBeGreaterThanOrEqual(4);
});
