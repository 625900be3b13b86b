/** Index of items by tag. */
export class TagIndex<T extends { readonly tags: readonly string[] }> {
  /** Most tags are paths with one item: a set is created for the second item only. */
  private readonly items = new Map<string, T | Set<T>>();

  add(item: T): void {
    for (const tag of item.tags) {
      const present = this.items.get(tag);
      if (present === undefined) this.items.set(tag, item);
      else if (present instanceof Set) present.add(item);
      else if (present !== item) this.items.set(tag, new Set([present, item]));
    }
  }

  remove(item: T): void {
    for (const tag of item.tags) {
      const present = this.items.get(tag);
      if (present === item) this.items.delete(tag);
      else if (present instanceof Set && present.delete(item) && present.size === 0) this.items.delete(tag);
    }
  }

  /** Returns the items with a tag, as a copy: the caller may remove items while it iterates. */
  withTag(tag: string): readonly T[] {
    const present = this.items.get(tag);
    if (present === undefined) return [];
    return present instanceof Set ? [...present] : [present];
  }
}
