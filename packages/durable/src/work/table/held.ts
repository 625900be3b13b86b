/** A claimed item, as the claimer knows it. Every write of its outcome carries the fence. */
export interface Held {
  readonly id: number;
  /** A random number of the claim; it changes whenever the item is taken from its owner. */
  readonly fence: number;
}

/** Columns of a list of claimed items. */
export const heldColumns = { id: "bigint", fence: "bigint" };

/** Returns the list of a statement in the order of ids, by which PostgreSQL finds the row of an item with a binary search. */
export const inOrder = <T extends { readonly id: number }>(rows: readonly T[]): readonly T[] =>
  rows.toSorted((a, b) => a.id - b.id);

/** SQL of PostgreSQL: the value of a column of a list `inOrder` for the item with an id. */
export const valueIn = (column: string | undefined, ids: string | undefined, id: string): string =>
  `(${column})[width_bucket(${id}, ${ids})]`;
