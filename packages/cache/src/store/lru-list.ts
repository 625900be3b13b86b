/** Something that stands in a list by the time of its last use. */
export interface LruLink<T> {
  newer: T | null;
  older: T | null;
}

/** A list ordered by last use. Every operation takes the same time however long the list is. */
export class LruList<T extends LruLink<T>> {
  private newest: T | null = null;
  private last: T | null = null;

  /** The one that was not used for longest, `null` when the list is empty. */
  get oldest(): T | null {
    return this.last;
  }

  /** Puts a link in front that is in no list. */
  add(link: T): void {
    link.newer = null;
    link.older = this.newest;
    if (this.newest !== null) this.newest.newer = link;
    this.newest = link;
    this.last ??= link;
  }

  /** Moves a link of this list to the front. */
  touch(link: T): void {
    if (this.newest === link) return;
    this.remove(link);
    this.add(link);
  }

  /** Takes a link of this list out. */
  remove(link: T): void {
    const { newer, older } = link;
    if (newer === null) this.newest = older;
    else newer.older = older;
    if (older === null) this.last = newer;
    else older.newer = newer;
    link.newer = null;
    link.older = null;
  }
}
