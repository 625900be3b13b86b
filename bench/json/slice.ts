import { ask } from "../client/ask.ts";
import { ClosedLoop } from "../client/closed-loop.ts";
import { Connection } from "../client/connection.ts";
import type { Server } from "../measure/server.ts";
import type { Workload } from "./workloads.ts";

/** Connections that are kept open to one server, each with one request on the way. */
const connections = 64;

/** A server under load. */
export interface Loaded extends Server {
  readonly name: string;
  readonly loop: ClosedLoop;
}

export const load = (name: string, server: Server): Loaded => ({
  ...server,
  name,
  loop: new ClosedLoop(server.port, connections),
});

/** Makes sure that a server does the work: an answer that is cheap because it is wrong proves nothing. */
export const check = async ({ name, port }: Loaded, workload: Workload): Promise<void> => {
  const connection = new Connection(port);
  const outcome = await connection.exchange(workload.bytes);
  connection.close();
  if (outcome.kind === "reply" && outcome.reply.status === 200 && outcome.reply.body === workload.body)
    return;
  throw new Error(`${name} answers ${workload.name} with ${JSON.stringify(outcome)}`);
};

/** What a slice cost. */
export interface Cost {
  /** Microseconds of the server's processor time for one request. */
  readonly cpuMicros: number;
  readonly requestsPerSecond: number;
}

/** Sends exactly `total` requests of one kind; one that fails makes the slice void. */
export const slice = async (
  { name, port, loop }: Loaded,
  { bytes }: Workload,
  total: number,
): Promise<Cost> => {
  const before = await cpuMicros(port);
  const start = performance.now();
  const tally = await loop.run(total, () => ({ bytes }));
  const ms = performance.now() - start;
  const after = await cpuMicros(port);
  if (tally.statuses.get(200) !== total) {
    throw new Error(`${name}: ${tally.statusText}; failed: ${tally.failureText}`);
  }
  return { cpuMicros: (after - before) / total, requestsPerSecond: (total / ms) * 1000 };
};

const cpuMicros = async (port: number): Promise<number> => {
  const { cpuMicros: micros } = (await ask(port, "/vitals/cpu")) as { cpuMicros: number };
  return micros;
};
