import type { Workload } from "../compare/workloads.ts";
import { verify } from "../compare/verify.ts";
import { Load } from "../load/load.ts";
import type { Shot } from "../load/shot.ts";
import { median } from "../measure/statistics.ts";
import { type CountedServer, startCounted } from "./callgrind.ts";

/** A server whose instructions are counted. */
export interface Subject {
  readonly name: string;
  /** Program in `servers/`. */
  readonly file: string;
  readonly args: readonly string[];
}

/** User-space instructions of a server for one request. */
export interface Count {
  readonly instructions: number;
  /** The cheapest and the dearest window. */
  readonly low: number;
  readonly high: number;
}

/** How much is sent. */
export interface Effort {
  /** Times that all workloads are sent in turn before the first is counted. */
  readonly passes: number;
  /** Requests of each workload in a pass, and once more right before it is counted. */
  readonly warmUp: number;
  /** Windows that count; one more goes before them, in which the compiler and the collector settle. */
  readonly windows: number;
  /** Requests of a window. */
  readonly requests: number;
}

/** Enough for code that is compiled for good, and for windows that hold their share of collections. */
export const usualEffort: Effort = { passes: 3, warmUp: 4000, windows: 5, requests: 1000 };

/** Connections with one request on the way each: the server has always all of them to answer, however fast the client is. */
const connections = 64;

/** Starts a server and counts each workload; all of them are warm before the first is counted. */
export const countSubject = async (
  { name, file, args }: Subject,
  workloads: readonly Workload[],
  effort: Effort = usualEffort,
): Promise<Map<string, Count>> => {
  await using server = await startCounted(file, args);
  const load = new Load(server.port);
  const warm = (shot: Shot): Promise<unknown> =>
    insist(name, load, () => load.run(shot, connections, effort.warmUp));
  const shots: (readonly [workload: string, shot: Shot])[] = [];
  for (const workload of workloads) shots.push([workload.name, await verify(name, server.port, workload)]);
  for (let pass = 0; pass < effort.passes; pass++) {
    for (const [, shot] of shots) await warm(shot);
  }
  const counts = new Map<string, Count>();
  for (const [workload, shot] of shots) {
    await warm(shot);
    counts.set(workload, await insist(name, load, () => countShot(server, load, shot, effort)));
  }
  load.close();
  return counts;
};

/** Counts one kind of request in a server that is warm. */
export const countShot = async (
  server: CountedServer,
  load: Load,
  shot: Shot,
  { windows, requests }: Pick<Effort, "windows" | "requests">,
): Promise<Count> => {
  const counts: number[] = [];
  await server.counting(async () => {
    for (let window = -1; window < windows; window++) {
      await load.run(shot, connections, requests);
      const instructions = (await server.taken()) / requests;
      if (window >= 0) counts.push(Math.round(instructions));
    }
  });
  return { instructions: median(counts), low: Math.min(...counts), high: Math.max(...counts) };
};

/** Tries that may fail in a row: a server that waits for the processor may close connections that it holds for idle. */
const attempts = 4;

const insist = async <T>(name: string, load: Load, work: () => Promise<T>): Promise<T> => {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work();
    } catch (cause) {
      load.close();
      if (attempt === attempts) throw new Error(`${name}: ${attempts} runs in a row failed`, { cause });
    }
  }
};
