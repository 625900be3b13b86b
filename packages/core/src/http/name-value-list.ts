/**
 * Read access to name-value pairs in the order received, with the semantics of `URLSearchParams`: names may repeat.
 *
 * `toObject()` returns an object without prototype, so a client's `__proto__` is an ordinary key.
 */
export abstract class NameValueList implements Iterable<[string, string]> {
  /** The list, flat: name, value, name, value … */
  protected abstract pairs(): readonly string[];

  /** Number of pairs. */
  get size(): number {
    return this.pairs().length / 2;
  }

  /** Returns the first value of a name; if absent the fallback, by default `null`. */
  get(name: string, fallback?: undefined): string | null;
  get<T>(name: string, fallback: T): string | T;
  get(name: string, fallback: unknown = null): unknown {
    const pairs = this.pairs();
    for (let at = 0; at < pairs.length; at += 2) if (pairs[at] === name) return pairs[at + 1];
    return fallback;
  }

  /** Returns every value of a name in order; empty if there is none. */
  getAll(name: string): string[] {
    const values: string[] = [];
    for (const [key, value] of this.entries()) if (key === name) values.push(value);
    return values;
  }

  /** Whether the name occurs. */
  has(name: string): boolean {
    return this.get(name) !== null;
  }

  /** The name of every pair, including repetitions. */
  *keys(): IteratorObject<string, undefined> {
    for (const [name] of this.entries()) yield name;
  }

  /** The values, in order. */
  *values(): IteratorObject<string, undefined> {
    for (const [, value] of this.entries()) yield value;
  }

  /** Pairs of name and value, in order. */
  *entries(): IteratorObject<[string, string], undefined> {
    const pairs = this.pairs();
    for (let at = 0; at < pairs.length; at += 2) yield [pairs[at] ?? "", pairs[at + 1] ?? ""];
  }

  [Symbol.iterator](): IteratorObject<[string, string], undefined> {
    return this.entries();
  }

  /** An object without prototype: a string for each name, an array of strings for a repeated one. */
  toObject(): Record<string, string | string[]> {
    const object = Object.create(null) as Record<string, string | string[]>;
    for (const [name, value] of this.entries()) {
      const known = object[name];
      if (known === undefined) object[name] = value;
      else if (typeof known === "string") object[name] = [known, value];
      else known.push(value);
    }
    return object;
  }
}
