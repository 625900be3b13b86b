import { setTimeout as pause } from "node:timers/promises";
import { Tally } from "../client/tally.ts";
import { isAlive, servingWorkers } from "../client/workers.ts";
import { startServer } from "../measure/server.ts";
import { mixedLanes } from "./lanes.ts";

/** Outcome of replacing the workers of a service. */
export interface RollingResult {
  readonly tally: Tally;
  readonly replaced: number;
  readonly slowestMs: number;
  /** Exit code of the whole service, which ends after the load. */
  readonly code: number | null;
}

/** Time limit for replacing a worker and finishing its requests. */
const REPLACEMENT_MS = 40_000;

/** Sends SIGTERM to each worker in turn, in at least `rolls` passes and until `requests` have a reply. */
export const rollWorkers = async (rolls: number, requests: number): Promise<RollingResult> => {
  const { program, port } = await startServer("books.ts", ["--env", "production", "--workers", "2"]);
  const tally = new Tally();
  let ends = false;
  const lanes = mixedLanes(
    port,
    () => ends,
    (outcome) => tally.add(outcome),
  );
  const running = Promise.all(lanes.map((lane) => lane.run()));
  let replaced = 0;
  let slowestMs = 0;
  for (let roll = 0; roll < rolls || tally.replies < requests; roll++) {
    for (const pid of await servingWorkers(port)) {
      slowestMs = Math.max(slowestMs, await replace(pid));
      replaced++;
    }
  }
  ends = true;
  await running;
  for (const lane of lanes) lane.close();
  const { code } = await program.stop("SIGTERM");
  return { tally, replaced, slowestMs, code };
};

const replace = async (pid: number): Promise<number> => {
  const start = performance.now();
  process.kill(pid, "SIGTERM");
  while (isAlive(pid)) {
    if (performance.now() - start > REPLACEMENT_MS) throw new Error(`worker ${pid} did not end`);
    await pause(20);
  }
  return performance.now() - start;
};
