import { WarmProcess } from "./warm-process.ts";

/** Options of `killWarmProcesses`. */
export interface KillOptions {
  /** File of the program, which calls `untilGo` when it is loaded and connected, and then works without end. */
  readonly program: URL;
  /** Environment of the nth process, in addition to the environment of the test. @default none */
  readonly env?: (at: number) => Readonly<Record<string, string>>;
  /** Mean time from `go` to the kill, in milliseconds; the time of each process is random, from 0 to twice the mean. @default 50 */
  readonly meanLifeMs?: number;
  /** Whether the program calls `hasBegun`. Then the time of every second process counts from that call. @default false */
  readonly callsHasBegun?: boolean;
  /** Maximum wait for `hasBegun` in milliseconds, since other processes may have done all the work. @default 20000 */
  readonly beginTimeoutMs?: number;
  /** Total time that the processes work, in milliseconds; then the test ends. */
  readonly workingMs: number;
  /** Minimum number of kills: on a busy machine a process lives longer than intended. @default 0 */
  readonly minKills?: number;
  /** Returns whether the processes have done enough for the test: on a busy machine some are killed before they do anything. @default always true */
  readonly isEnough?: () => Promise<boolean>;
  /** Time after which the run ends in any case, in milliseconds. @default 30 times `workingMs`, at least 300000 */
  readonly limitMs?: number;
  /** Number of concurrently working processes. @default 2 */
  readonly concurrency?: number;
  /** Number of processes that are loaded in advance; fewer when fewer kills remain. @default 3 */
  readonly standby?: number;
  /** Random numbers from 0 up to 1. @default Math.random */
  readonly random?: () => number;
}

/** Result of `killWarmProcesses`. */
export interface Killed {
  /** Processes that were killed while they worked. */
  readonly kills: number;
  /** Total time that the processes had to work, in milliseconds. */
  readonly workedMs: number;
  /** Time that the test took, in milliseconds. */
  readonly tookMs: number;
}

/**
 * Kills processes with SIGKILL, each some milliseconds after it has started to work.
 *
 * @throws if a process exits before it is killed; then all others are killed as well
 */
export const killWarmProcesses = async (options: KillOptions): Promise<Killed> => {
  const { program, env = () => ({}), meanLifeMs = 50, workingMs } = options;
  const { limitMs = Math.max(300_000, workingMs * 30) } = options;
  const {
    isEnough = async () => true,
    minKills = 0,
    concurrency = 2,
    standby = 3,
    random = Math.random,
    callsHasBegun = false,
    beginTimeoutMs = 20_000,
  } = options;
  let started = 0;
  let kills = 0;
  let workedMs = 0;
  const start = (): WarmProcess => new WarmProcess(program, env(started++));
  /** Estimates the number of remaining kills, because loading an unneeded process costs as much as any other. */
  const remainingKills = (): number =>
    Math.max(minKills - kills, Math.ceil((workingMs - workedMs) / meanLifeMs));
  const standbys = Array.from(
    { length: Math.min(concurrency + standby, Math.max(concurrency, remainingKills())) },
    start,
  );
  const begun = performance.now();
  const hasEnded = async (): Promise<boolean> =>
    (workedMs >= workingMs && kills >= minKills && (await isEnough())) ||
    performance.now() - begun >= limitMs;
  const working = new Set<WarmProcess>();
  let isStopped = false;
  const next = (): WarmProcess => {
    const current = standbys.shift() ?? start();
    if (standbys.length < Math.min(concurrency + standby, remainingKills() - 1)) standbys.push(start());
    return current;
  };
  const slot = async (): Promise<void> => {
    while (!(await hasEnded()) && !isStopped) {
      const current = next();
      working.add(current);
      await current.ready;
      const lifeMs = random() * 2 * meanLifeMs;
      await current.work(lifeMs, callsHasBegun && kills % 2 === 1 ? beginTimeoutMs : 0);
      working.delete(current);
      workedMs += lifeMs;
      kills++;
    }
  };
  const slots = Array.from({ length: concurrency }, slot);
  try {
    await Promise.all(slots);
  } finally {
    isStopped = true; // after an error of one slot, the others kill their processes and start no more
    await Promise.allSettled([...working, ...standbys].map((each) => each.kill()));
    await Promise.allSettled(slots);
  }
  return { kills, workedMs: Math.round(workedMs), tookMs: Math.round(performance.now() - begun) };
};
