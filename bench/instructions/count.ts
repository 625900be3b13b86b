import type { Workload } from "../workloads/workloads.ts";
import { verify } from "../workloads/verify.ts";
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

/** Cost of one request in user space. */
export interface Count {
  readonly instructions: number;
  /** Misses of the simulated first-level caches, rounded; the minimum of the counted windows. */
  readonly misses: number;
  /** Minimum and maximum instructions of the counted windows. */
  readonly low: number;
  readonly high: number;
}

/** Number of requests and windows. */
export interface Effort {
  /** Warm-up passes over all workloads before the first one is counted. */
  readonly passes: number;
  /** Requests of each workload per pass, and again right before it is counted. */
  readonly warmUp: number;
  /** Counted windows: the last ones, once they are stable. */
  readonly windows: number;
  /** Requests of a window. */
  readonly requests: number;
  /** Computes the result from the counts of the windows. */
  readonly estimate: (windows: readonly number[]) => number;
}

/**
 * Few enough requests that the gate can run on every change. The cheapest of the short windows is the result, because noise only adds instructions:
 * a garbage collection, a timer, late compilation, or, on a busy machine, event-loop turns with fewer requests.
 */
export const gateEffort: Effort = {
  passes: 2,
  warmUp: 500,
  windows: 6,
  requests: 250,
  estimate: (windows) => Math.min(...windows),
};

/** Enough for optimized code, and for windows that contain their share of garbage collections. */
export const defaultEffort: Effort = {
  passes: 3,
  warmUp: 4000,
  windows: 6,
  requests: 1000,
  estimate: median,
};

/** Connections with one request in flight each, so the server always has requests to handle. */
const CONNECTIONS = 64;

const frozenTime = `${import.meta.dirname}/../servers/frozen-time.ts`;

/** Starts a server and counts each workload, after a warm-up of all workloads. */
export const countSubject = async (
  { name, file, args, nodeArgs = [] }: Subject,
  workloads: readonly Workload[],
  effort: Effort = defaultEffort,
): Promise<Map<string, Count>> => {
  await using server = await startCounted(file, args, ["--import", frozenTime, ...nodeArgs]);
  const load = new Load(server.port);
  const warm = (shot: Shot): Promise<unknown> =>
    retry(name, load, () => load.run(shot, CONNECTIONS, effort.warmUp));
  const shots: (readonly [workload: string, shot: Shot])[] = [];
  for (const workload of workloads) shots.push([workload.name, await verify(name, server.port, workload)]);
  for (let pass = 0; pass < effort.passes; pass++) {
    for (const [, shot] of shots) await warm(shot);
  }
  const counts = new Map<string, Count>();
  for (const [workload, shot] of shots) {
    await warm(shot);
    counts.set(workload, await retry(name, load, () => countShot(server, load, shot, effort)));
  }
  load.close();
  return counts;
};

/** Windows are stable when the medians of their halves differ by less than this share. */
const TOLERANCE = 0.03;

/** Maximum number of windows, as a multiple of `Effort.windows`, until they are stable: a busy machine delays compilation. */
const MAX_WINDOW_FACTOR = 4;

/** Counts one kind of request on a warm server, window by window until the last ones are stable. */
export const countShot = async (
  server: CountedServer,
  load: Load,
  shot: Shot,
  { windows, requests, estimate }: Pick<Effort, "windows" | "requests" | "estimate">,
): Promise<Count> => {
  let last: number[] = [];
  let misses = Infinity;
  await server.whileCounting(async () => {
    for (
      let window = -1;
      window < windows * MAX_WINDOW_FACTOR && !(last.length === windows && isStable(last));
      window++
    ) {
      await load.run(shot, CONNECTIONS, requests);
      const counts = await server.takeCounts();
      if (window < 0) continue;
      last = [...last, Math.round(counts.instructions / requests)].slice(-windows);
      misses = Math.min(misses, Math.round(counts.misses / requests));
    }
  });
  return { instructions: estimate(last), misses, low: Math.min(...last), high: Math.max(...last) };
};

const isStable = (counts: readonly number[]): boolean => {
  const middle = counts.length >> 1;
  return Math.abs(median(counts.slice(0, middle)) / median(counts.slice(middle)) - 1) < TOLERANCE;
};

/** Maximum attempts: a server that waits for the processor may close connections that appear idle. */
const ATTEMPTS = 4;

const retry = async <T>(name: string, load: Load, work: () => Promise<T>): Promise<T> => {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work();
    } catch (cause) {
      load.close();
      if (attempt === ATTEMPTS) throw new Error(`${name}: ${ATTEMPTS} consecutive runs failed`, { cause });
    }
  }
};
