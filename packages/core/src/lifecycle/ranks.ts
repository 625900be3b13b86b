/** Something registered, with its place in the order of start: the position of its feature in `App.with`, or one of the ranks below. */
export interface Ranked<T> {
  readonly rank: number;
  readonly item: T;
}

/** A shared state that a feature provides is there before every feature, so it closes after all of them. */
export const SHARED_RANK: number = -1;

/** Middleware objects, such as an authentication, start when all features are up. */
export const MIDDLEWARE_RANK: number = Number.MAX_SAFE_INTEGER - 1;

/** The program's own `startup` handlers come last, so its `shutdown` handlers run first. */
export const PROGRAM_RANK: number = Number.MAX_SAFE_INTEGER;

/** Sorted by rank; entries of one rank keep the order in which they were added. */
export const byRank = <T>(entries: readonly Ranked<T>[]): Ranked<T>[] =>
  entries.toSorted((one, other) => one.rank - other.rank);
