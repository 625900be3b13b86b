/** A claimed item, as the claimer knows it. Every write of its outcome carries the fence. */
export interface Held {
  readonly id: number;
  /** Grows whenever the item is claimed, or taken from its owner. */
  readonly fence: number;
}
