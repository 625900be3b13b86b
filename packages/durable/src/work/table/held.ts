/** Id and fence of a claimed item. Every write of its outcome carries the fence. */
export interface HeldItem {
  readonly id: number;
  /** Random number of the claim; it changes whenever the item is taken from its owner. */
  readonly fence: number;
}

/** Columns of a list of claimed items. */
export const heldColumns = { id: "bigint", fence: "bigint" };

/** Sorts the rows of a statement by id, so that PostgreSQL can find an item's row with a binary search. */
export const sortedById = <T extends { readonly id: number }>(rows: readonly T[]): readonly T[] =>
  rows.toSorted((a, b) => a.id - b.id);

/** SQL of PostgreSQL: the value of a column for the item with an id, in rows sorted by `sortedById`. */
export const valueIn = (column: string | undefined, ids: string | undefined, id: string): string =>
  `(${column})[width_bucket(${id}, ${ids})]`;
