import type { Task } from "./tasks.ts";

/** A task with its place in the order of start: the position of its feature in `App.with`, or one of the ranks below. */
export interface RankedTask extends Task {
  readonly rank: number;
}

/** Middleware objects, such as an authentication, start when all features are up. */
export const MIDDLEWARE_RANK: number = Number.MAX_SAFE_INTEGER - 1;

/** The program's own `startup` handlers come last, so its `shutdown` handlers run first. */
export const PROGRAM_RANK: number = Number.MAX_SAFE_INTEGER;

/** Tasks by rank, those of one rank in the order added. */
export const byRank = (tasks: readonly RankedTask[]): RankedTask[] =>
  tasks.toSorted((one, other) => one.rank - other.rank);
