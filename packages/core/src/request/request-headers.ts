import type { RequestSource } from "../exchange/request-source.ts";
import { isNamed, joinValues, singletonFields } from "../http/field-values.ts";

/**
 * Header fields of a request with the interface of the web's `Headers`: case-insensitive names, repeated fields joined by `fieldValue`.
 *
 * Iteration yields each lower-case name once, in the order of first appearance.
 */
export class RequestHeaders implements Iterable<[string, string]> {
  private readonly source: Pick<RequestSource, "field" | "fields">;
  private collected: ReadonlyMap<string, string> | undefined;

  constructor(source: Pick<RequestSource, "field" | "fields">) {
    this.source = source;
  }

  /** Returns the value of a field, else the fallback, else `null`. */
  get(name: string, fallback?: undefined): string | null;
  get<T>(name: string, fallback: T): string | T;
  get(name: string, fallback: unknown = null): unknown {
    return this.source.field(name.toLowerCase()) ?? fallback;
  }

  /** Returns every value of a field as received, one per field line. */
  getAll(name: string): string[] {
    const { fields } = this.source;
    const lowerName = name.toLowerCase();
    return fields.filter((_, at) => at % 2 === 1 && isNamed(fields[at - 1] ?? "", lowerName));
  }

  /** Whether the field was sent. */
  has(name: string): boolean {
    return this.get(name) !== null;
  }

  /** The names, in lower case. */
  keys(): IteratorObject<string, undefined> {
    return this.byName().keys();
  }

  /** The values; several values of one field are joined. */
  values(): IteratorObject<string, undefined> {
    return this.byName().values();
  }

  /** Pairs of name and value. */
  entries(): IteratorObject<[string, string], undefined> {
    return this.byName().entries();
  }

  [Symbol.iterator](): IteratorObject<[string, string], undefined> {
    return this.byName().entries();
  }

  /** Calls `callback` for each field. */
  forEach(callback: (value: string, name: string, headers: RequestHeaders) => void): void {
    for (const [name, value] of this.byName()) callback(value, name, this);
  }

  /** Returns an object without prototype, keyed by lower-case name. */
  toObject(): Record<string, string> {
    const object = Object.create(null) as Record<string, string>;
    for (const [name, value] of this.byName()) object[name] = value;
    return object;
  }

  private byName(): ReadonlyMap<string, string> {
    return (this.collected ??= collect(this.source.fields));
  }
}

const collect = (fields: readonly string[]): ReadonlyMap<string, string> => {
  const byName = new Map<string, string>();
  for (let at = 0; at + 1 < fields.length; at += 2) {
    const name = (fields[at] ?? "").toLowerCase();
    const value = fields[at + 1] ?? "";
    const known = byName.get(name);
    if (known === undefined) byName.set(name, value);
    else if (!singletonFields.has(name)) byName.set(name, joinValues(name, known, value));
  }
  return byName;
};
