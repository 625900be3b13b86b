/** Links of an item in an `LruList`. */
export interface LruLink<T> {
  newer: T | null;
  older: T | null;
}

/** A doubly linked list in order of last use. Every operation takes constant time. */
export class LruList<T extends LruLink<T>> {
  private newest: T | null = null;
  private last: T | null = null;

  /** The least recently used item, `null` if the list is empty. */
  get oldest(): T | null {
    return this.last;
  }

  /** Adds an item, which is in no list, as the most recently used. */
  add(item: T): void {
    item.newer = null;
    item.older = this.newest;
    if (this.newest !== null) this.newest.newer = item;
    this.newest = item;
    this.last ??= item;
  }

  /** Marks an item of this list as the most recently used. */
  touch(item: T): void {
    if (this.newest === item) return;
    this.remove(item);
    this.add(item);
  }

  /** Removes an item of this list. */
  remove(item: T): void {
    const { newer, older } = item;
    if (newer === null) this.newest = older;
    else newer.older = older;
    if (older === null) this.last = newer;
    else older.newer = newer;
    item.newer = null;
    item.older = null;
  }
}
