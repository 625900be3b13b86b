import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";

/**
 * Sends a signal to a process and all its descendants.
 *
 * A signal to the process group is not enough: each PostgreSQL backend has its own group.
 *
 * @returns the ids of these processes
 */
export const signalTree = (pid: number, signal: NodeJS.Signals): readonly number[] => {
  const tree = [pid, ...descendantsOf(pid)];
  for (const each of tree) {
    try {
      process.kill(each, signal);
    } catch {
      // The process ended after the listing.
    }
  }
  return tree;
};

/** Waits until all killed processes have ended, up to a minute: until then a process holds its shared memory and its locks. */
export const untilEnded = async (pids: readonly number[]): Promise<void> => {
  const deadline = performance.now() + 60_000;
  while (performance.now() < deadline) {
    const running = new Set(processes().map(([pid]) => pid));
    if (!pids.some((pid) => running.has(pid))) return;
    await delay(5);
  }
};

/** Returns the ids of all descendants of a process. */
export const descendantsOf = (pid: number): number[] => {
  const children = Map.groupBy(processes(), ([, parent]) => parent);
  const found: number[] = [];
  const visit = (parent: number): void => {
    for (const [child] of children.get(parent) ?? []) {
      found.push(child);
      visit(child);
    }
  };
  visit(pid);
  return found;
};

type PidAndParent = readonly [pid: number, parent: number];

const processes = (): readonly PidAndParent[] => (process.platform === "linux" ? fromProcFolder() : fromPs());

const fromProcFolder = (): PidAndParent[] =>
  readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => {
      try {
        const stat = readFileSync(`/proc/${name}/stat`, "utf8");
        const afterName = stat.slice(stat.lastIndexOf(")") + 2).split(" "); // the name may contain spaces and parentheses
        return afterName[0] === "Z" ? [] : [[Number(name), Number(afterName[1])] as const]; // a zombie has ended
      } catch {
        return [];
      }
    });

const fromPs = (): PidAndParent[] =>
  execFileSync("ps", ["-A", "-o", "pid=,ppid="], { encoding: "utf8" })
    .trim()
    .split("\n")
    .map((line) => line.trim().split(/\s+/).map(Number))
    .map(([pid = 0, parent = 0]) => [pid, parent]);
