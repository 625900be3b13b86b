/** Where a name stands in a text. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

/** How the names of a text are read. */
export interface Names {
  /** A number that equal names share: to make strings of all names takes longer than the rest of a refusal. */
  hash(name: Span): number;
  isSame(name: Span, other: Span): boolean;
  read(name: Span): string;
}

interface Definition {
  /** The name of a fragment. */
  readonly name: Span | null;
  readonly spreads: Span[];
}

/** The spreads of each definition of a document, as far as its text tells them. */
export class Spreads {
  /** Each fragment, and each operation that spreads something, in the order of the text. */
  private readonly definitions: Definition[] = [];
  private current: Definition | null = null;

  /** A fragment's definition begins: spreads are its own until the next call. */
  fragment(name: Span): void {
    this.current = this.begin(name);
  }

  /** A definition ends. */
  end(): void {
    this.current = null;
  }

  /** The spread of a fragment: in an operation, unless a fragment has begun. */
  spread(name: Span): void {
    this.current ??= this.begin(null);
    this.current.spreads.push(name);
  }

  /** The first fragment that contains itself; `null` for none, or if different names share a hash. Takes each spread once. */
  cycle(names: Names): string | null {
    const fragments = new Map<number, Definition>();
    for (const each of this.definitions) if (each.name !== null) fragments.set(names.hash(each.name), each);
    const open = new Set<Definition>();
    const closed = new Set<Definition>();
    const find = (definition: Definition): string | null => {
      open.add(definition);
      for (const spread of definition.spreads) {
        const inner = fragments.get(names.hash(spread));
        if (inner?.name == null || closed.has(inner) || !names.isSame(inner.name, spread)) continue;
        const found = open.has(inner) ? names.read(spread) : find(inner);
        if (found !== null) return found;
      }
      open.delete(definition);
      closed.add(definition);
      return null;
    };
    for (const each of this.definitions) {
      const found = closed.has(each) ? null : find(each);
      if (found !== null) return found;
    }
    return null;
  }

  private begin(name: Span | null): Definition {
    const definition = { name, spreads: [] };
    this.definitions.push(definition);
    return definition;
  }
}
