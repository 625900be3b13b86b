/** Things by the tags they carry. */
export class TagIndex<T extends { readonly tags: readonly string[] }> {
  /** Most tags have one carrier, the path of its entry: a set is made for the second. */
  private readonly carriers = new Map<string, T | Set<T>>();

  add(carrier: T): void {
    for (const tag of carrier.tags) {
      const present = this.carriers.get(tag);
      if (present === undefined) this.carriers.set(tag, carrier);
      else if (present instanceof Set) present.add(carrier);
      else if (present !== carrier) this.carriers.set(tag, new Set([present, carrier]));
    }
  }

  remove(carrier: T): void {
    for (const tag of carrier.tags) {
      const present = this.carriers.get(tag);
      if (present === carrier) this.carriers.delete(tag);
      else if (present instanceof Set && present.delete(carrier) && present.size === 0)
        this.carriers.delete(tag);
    }
  }

  /** Everything under a tag; a list of its own, so that carriers may be removed meanwhile. */
  under(tag: string): readonly T[] {
    const present = this.carriers.get(tag);
    if (present === undefined) return [];
    return present instanceof Set ? [...present] : [present];
  }
}
