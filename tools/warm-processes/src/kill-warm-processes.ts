import { WarmProcess } from "./warm-process.ts";

/** Which processes to kill, and how often. */
export interface KillOptions {
  /** File of the program, which calls `untilGo` when it is loaded and connected, and then works without end. */
  readonly program: URL;
  /** Environment of the nth process, besides that of the test. @default none */
  readonly env?: (at: number) => Readonly<Record<string, string>>;
  /** Mean time from `go` to the kill; each process has a random one from 0 to twice as long. @default 50 */
  readonly meanLifeMs?: number;
  /** Whether the program calls `hasBegun`: then the time of every second process counts from that. @default false */
  readonly begins?: boolean;
  /** Longest wait for `hasBegun`, since other processes may have done all the work. @default 20000 */
  readonly beginsWithinMs?: number;
  /** Time that the processes have worked in total, after which the test ends. */
  readonly workingMs: number;
  /** Kills before which it does not end: on a busy machine a process lives longer than it should. @default 0 */
  readonly leastKills?: number;
  /** Whether the processes have done what the test needs: on a busy machine some are killed before they do anything. @default always */
  readonly isEnough?: () => Promise<boolean>;
  /** Time after which it ends in any case. @default 30 times as long as the processes shall work, at least 300000 */
  readonly limitMs?: number;
  /** Processes that work at a time. @default 2 */
  readonly working?: number;
  /** Processes that are loaded or being loaded meanwhile, while so many are still needed. @default 3 */
  readonly standby?: number;
  /** Random numbers from 0 up to 1. @default Math.random */
  readonly random?: () => number;
}

/** The outcome. */
export interface Killed {
  /** Processes that were killed while they worked. */
  readonly kills: number;
  /** Time that they were given to work, in milliseconds. */
  readonly workedMs: number;
  /** Time that the test took, in milliseconds. */
  readonly tookMs: number;
}

/**
 * Kills processes with SIGKILL, each some milliseconds after it has started to work.
 *
 * @throws when a process ended by itself
 */
export const killWarmProcesses = async (options: KillOptions): Promise<Killed> => {
  const { program, env = () => ({}), meanLifeMs = 50, workingMs } = options;
  const { limitMs = Math.max(300_000, workingMs * 30) } = options;
  const {
    isEnough = async () => true,
    leastKills = 0,
    working = 2,
    standby = 3,
    random = Math.random,
    begins = false,
    beginsWithinMs = 20_000,
  } = options;
  let started = 0;
  let kills = 0;
  let workedMs = 0;
  const start = (): WarmProcess => new WarmProcess(program, env(started++));
  /** Estimated remaining kills: a process that is loaded unnecessarily costs as much as any other. */
  const left = (): number => Math.max(leastKills - kills, Math.ceil((workingMs - workedMs) / meanLifeMs));
  const waiting = Array.from({ length: Math.min(working + standby, Math.max(working, left())) }, start);
  const begun = performance.now();
  const isOver = async (): Promise<boolean> =>
    (workedMs >= workingMs && kills >= leastKills && (await isEnough())) ||
    performance.now() - begun >= limitMs;
  const next = (): WarmProcess => {
    const current = waiting.shift() ?? start();
    if (waiting.length < Math.min(working + standby, left() - 1)) waiting.push(start());
    return current;
  };
  const slot = async (): Promise<void> => {
    while (!(await isOver())) {
      const current = next();
      await current.ready;
      const lifeMs = random() * 2 * meanLifeMs;
      await current.work(lifeMs, begins && kills % 2 === 1 ? beginsWithinMs : 0);
      workedMs += lifeMs;
      kills++;
    }
  };
  try {
    await Promise.all(Array.from({ length: working }, slot));
  } finally {
    await Promise.allSettled(waiting.map((each) => each.kill()));
  }
  return { kills, workedMs: Math.round(workedMs), tookMs: Math.round(performance.now() - begun) };
};
