/** A registered item and its rank in the start order: the position of its feature in `App.with`, or one of the ranks below. */
export interface Ranked<T> {
  readonly rank: number;
  readonly item: T;
}

/** A shared state that a feature provides is ready before every feature starts, so it closes after all of them. */
export const SHARED_RANK: number = -1;

/** Middleware objects, such as an authentication, start after all features. */
export const middlewareRank: number = Number.MAX_SAFE_INTEGER - 1;

/** The program's own `startup` handlers come last, so its `shutdown` handlers run first. */
export const programRank: number = Number.MAX_SAFE_INTEGER;

/** Returns the entries sorted by rank; entries of one rank keep their order. */
export const byRank = <T>(entries: readonly Ranked<T>[]): Ranked<T>[] =>
  entries.toSorted((one, other) => one.rank - other.rank);
