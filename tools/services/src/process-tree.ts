import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";

/**
 * Sends a signal to a process and all its descendants.
 *
 * A signal to the process group is not enough: each PostgreSQL backend has its own group.
 */
export const signalTree = (pid: number, signal: NodeJS.Signals): void => {
  for (const each of [pid, ...descendantsOf(pid)]) {
    try {
      process.kill(each, signal);
    } catch {
      // The process ended after the listing.
    }
  }
};

/** Ids of all descendants of a process. */
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
        return [[Number(name), Number(afterName[1])] as const];
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
