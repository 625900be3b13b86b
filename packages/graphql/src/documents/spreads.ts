/** Position of a name in a text. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

/** Reads the names of a text. */
export interface Names {
  /** Returns the hash of a name: creating a string for each name would take longer than the rest of a refusal. */
  hash(name: Span): number;
  isSame(name: Span, other: Span): boolean;
  read(name: Span): string;
}

interface Definition {
  /** Name of a fragment; `null` for an operation. */
  readonly name: Span | null;
  readonly spreads: Span[];
}

/** Fragment spreads of each definition, found in the text of a document. */
export class Spreads {
  /** All fragments, and the operations that have spreads, in the order of the text. */
  private readonly definitions: Definition[] = [];
  private current: Definition | null = null;

  /** Begins the definition of a fragment, to which the next spreads belong. */
  fragment(name: Span): void {
    this.current = this.begin(name);
  }

  /** Ends the current definition. */
  end(): void {
    this.current = null;
  }

  /** Adds a spread to the current definition: an operation, unless a fragment has begun. */
  spread(name: Span): void {
    this.current ??= this.begin(null);
    this.current.spreads.push(name);
  }

  /** Returns the first fragment that contains itself; `null` for none, and possibly if different names share a hash. Visits each spread once. */
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
