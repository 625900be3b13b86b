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
  /** Options of Node for its process. @default none */
  readonly nodeArgs?: readonly string[];
}

/** What a server does in user space for one request. */
export interface Count {
  readonly instructions: number;
  /** Misses of simulated first-level caches. Rounded; the fewest of the windows that count. */
  readonly misses: number;
  /** Instructions of the cheapest and of the dearest of the windows that count. */
  readonly low: number;
  readonly high: number;
}

/** How much is sent. */
export interface Effort {
  /** Times that all workloads are sent in turn before the first is counted. */
  readonly passes: number;
  /** Requests of each workload in a pass, and once more right before it is counted. */
  readonly warmUp: number;
  /** Measured windows, after one warm-up window and more until they are stable. */
  readonly windows: number;
  /** Requests of a window. */
  readonly requests: number;
  /** The count that stands for the windows. */
  readonly estimate: (windows: readonly number[]) => number;
}

/**
 * Little enough for every change. The cheapest of the short windows stands for them, because what differs between windows only adds: a collection, a
 * timer, code compiled late, and on a busy machine turns of the event loop with fewer requests.
 */
export const gateEffort: Effort = {
  passes: 2,
  warmUp: 500,
  windows: 6,
  requests: 250,
  estimate: (windows) => Math.min(...windows),
};

/** Enough for code that is compiled for good, and for windows that hold their share of collections. */
export const usualEffort: Effort = { passes: 3, warmUp: 4000, windows: 6, requests: 1000, estimate: median };

/** Connections with one request on the way each: the server has always all of them to answer, however fast the client is. */
const CONNECTIONS = 64;

const stillTime = `${import.meta.dirname}/../servers/still-time.ts`;

/** Starts a server and counts each workload; all of them are warm before the first is counted. */
export const countSubject = async (
  { name, file, args, nodeArgs = [] }: Subject,
  workloads: readonly Workload[],
  effort: Effort = usualEffort,
): Promise<Map<string, Count>> => {
  await using server = await startCounted(file, args, ["--import", stillTime, ...nodeArgs]);
  const load = new Load(server.port);
  const warm = (shot: Shot): Promise<unknown> =>
    insist(name, load, () => load.run(shot, CONNECTIONS, effort.warmUp));
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

/** Windows have settled when the medians of their halves differ by less than this share. */
const TOLERANCE = 0.03;

/** Times as many windows at most: the compiler works beside the requests, and a busy machine delays it. */
const PATIENCE = 4;

/** Counts one kind of request in a server that is warm, window by window until the last ones have settled. */
export const countShot = async (
  server: CountedServer,
  load: Load,
  shot: Shot,
  { windows, requests, estimate }: Pick<Effort, "windows" | "requests" | "estimate">,
): Promise<Count> => {
  let last: number[] = [];
  let misses = Infinity;
  await server.counting(async () => {
    for (
      let window = -1;
      window < windows * PATIENCE && !(last.length === windows && settled(last));
      window++
    ) {
      await load.run(shot, CONNECTIONS, requests);
      const taken = await server.taken();
      if (window < 0) continue;
      last = [...last, Math.round(taken.instructions / requests)].slice(-windows);
      misses = Math.min(misses, Math.round(taken.misses / requests));
    }
  });
  return { instructions: estimate(last), misses, low: Math.min(...last), high: Math.max(...last) };
};

const settled = (counts: readonly number[]): boolean => {
  const middle = counts.length >> 1;
  return Math.abs(median(counts.slice(0, middle)) / median(counts.slice(middle)) - 1) < TOLERANCE;
};

/** Tries that may fail in a row: a server that waits for the processor may close connections that it holds for idle. */
const ATTEMPTS = 4;

const insist = async <T>(name: string, load: Load, work: () => Promise<T>): Promise<T> => {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work();
    } catch (cause) {
      load.close();
      if (attempt === ATTEMPTS) throw new Error(`${name}: ${ATTEMPTS} runs in a row failed`, { cause });
    }
  }
};
