/** An item of the heap: the heap sets `place`. */
export interface ExpiringItem {
  expiresAt: number;
  /** Breaks ties: of two items with the same expiry the older is first. */
  readonly order: number;
  /** Index in the heap. */
  place: number;
}

/** A binary heap by expiry: every operation takes at most logarithmic time. */
export class ExpiryHeap<Item extends ExpiringItem> {
  private readonly items: Item[] = [];

  get size(): number {
    return this.items.length;
  }

  /** The item with the earliest expiry. */
  get first(): Item | undefined {
    return this.items[0];
  }

  add(item: Item): void {
    this.put(item, this.items.length);
    this.rise(item);
  }

  remove(item: Item): void {
    const last = this.items.pop();
    if (last === undefined || last === item) return;
    this.put(last, item.place);
    this.rise(last);
    this.sink(last);
  }

  private rise(item: Item): void {
    while (item.place > 0) {
      const parent = this.items[(item.place - 1) >> 1];
      if (parent === undefined || !isBefore(item, parent)) return;
      this.swap(item, parent);
    }
  }

  private sink(item: Item): void {
    for (;;) {
      const left = this.items[2 * item.place + 1];
      const right = this.items[2 * item.place + 2];
      const child = left !== undefined && right !== undefined && isBefore(right, left) ? right : left;
      if (child === undefined || !isBefore(child, item)) return;
      this.swap(child, item);
    }
  }

  private swap(rising: Item, sinking: Item): void {
    const { place } = sinking;
    this.put(sinking, rising.place);
    this.put(rising, place);
  }

  private put(item: Item, place: number): void {
    this.items[place] = item;
    item.place = place;
  }
}

const isBefore = (a: ExpiringItem, b: ExpiringItem): boolean =>
  a.expiresAt < b.expiresAt || (a.expiresAt === b.expiresAt && a.order < b.order);
