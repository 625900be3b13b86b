import { setTimeout as pause } from "node:timers/promises";
import { Tally } from "../client/tally.ts";
import { startServer } from "../measure/server.ts";
import { mixedLanes } from "./lanes.ts";

/** How a stop under load went. */
export interface Stopped {
  readonly tally: Tally;
  readonly code: number | null;
  /** Milliseconds from the signal to the end of the process. */
  readonly drainMs: number;
}

const loadMs = 500;

/** Starts a single process, loads it, and sends SIGTERM in the middle; each client goes on until it is refused. */
export const stopUnderLoad = async (): Promise<Stopped> => {
  const { program, port } = await startServer("books.ts", ["--env", "production", "--workers", "1"]);
  const tally = new Tally();
  const lanes = mixedLanes(
    port,
    () => false,
    (outcome) => tally.add(outcome),
  );
  const running = Promise.all(lanes.map((lane) => lane.run()));
  await pause(loadMs);
  const start = performance.now();
  const { code } = await program.stop("SIGTERM");
  const drainMs = performance.now() - start;
  await running;
  for (const lane of lanes) lane.close();
  return { tally, code, drainMs };
};
