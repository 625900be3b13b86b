import { mkdtempDisposableSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setImmediate } from "node:timers/promises";
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

test("a process that exits before it is killed is an error", async () => {
  const killing = killWarmProcesses({
    program,
    env: () => ({ END: "1" }),
    meanLifeMs: 60_000,
    workingMs: 60_000,
    random: () => 0.5,
  });
  await expect(killing).rejects.toThrow("the process exited before it was killed: exit code 3");
});

/** Returns the number of running child processes. */
const children = async (): Promise<number> => {
  await setImmediate(); // the handle of a process that has exited is closed at the end of this turn of the event loop
  await setImmediate();
  return process.getActiveResourcesInfo().filter((type) => type === "ProcessWrap").length;
};

test("if a process exits, all others are killed and no more are started", async () => {
  using folder = mkdtempDisposableSync(join(tmpdir(), "warm-"));
  let started = 0;
  const killing = killWarmProcesses({
    program,
    env(at) {
      started++;
      return at === 1 ? { END: "1" } : { FILE: join(folder.path, "lines"), AT: String(at) };
    },
    meanLifeMs: 60_000,
    workingMs: 600_000,
    standby: 0,
    random: () => 0.5,
  });
  await expect(killing).rejects.toThrow("exit code 3");
  expect([await children(), started]).toEqual([0, 4]); // two worked, two were loaded
});

test("a line that only ends in `ready` does not mean that a program is ready", async () => {
  const { kills } = await killWarmProcesses({
    program: new URL("./logging.test-program.ts", import.meta.url),
    meanLifeMs: 10_000,
    workingMs: 1,
    concurrency: 1,
    random: () => 0.001,
  });
  expect(kills).toBe(1);
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
