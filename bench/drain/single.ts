import { setTimeout as pause } from "node:timers/promises";
import type { Outcome } from "../client/connection.ts";
import { Tally } from "../client/tally.ts";
import { startServer } from "../measure/server.ts";
import { mixedLanes } from "./lanes.ts";

/** Outcome of a stop under load. */
export interface StopResult {
  readonly tally: Tally;
  /** Number of accepted requests without a reply. */
  readonly lost: number;
  readonly code: number | null;
  /** Milliseconds from the signal to the end of the process. */
  readonly drainMs: number;
}

const LOAD_MS = 500;

/** Starts a single process, loads it, and sends SIGTERM in the middle; each client continues until it is refused. */
export const stopUnderLoad = async (): Promise<StopResult> => {
  const { program, port } = await startServer("books.ts", ["--env", "production", "--workers", "1"]);
  const tally = new Tally();
  let lost = 0;
  let signalled = false;
  const lanes = mixedLanes(
    port,
    () => false,
    (outcome) => {
      tally.add(outcome);
      if (isFailure(outcome) && !(signalled && wasNeverAccepted(outcome))) lost++;
    },
  );
  const running = Promise.all(lanes.map((lane) => lane.run()));
  await pause(LOAD_MS);
  signalled = true;
  const start = performance.now();
  const { code } = await program.stop("SIGTERM");
  const drainMs = performance.now() - start;
  await running;
  for (const lane of lanes) lane.close();
  return { tally, lost, code, drainMs };
};

const isFailure = ({ kind }: Outcome): boolean => kind !== "reply" && kind !== "disconnected";

/** Whether the connection was refused, or reset because it was in the accept backlog when the listener closed. */
const wasNeverAccepted = ({ kind }: Outcome): boolean =>
  kind === "refused" || kind === "reset, fresh connection";
