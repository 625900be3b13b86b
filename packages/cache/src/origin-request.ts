import type { HttpRequest, RequestHeaders } from "@framework/core";

/** Request fields to set, or with `null` to take away, by lower-case name. */
export type FieldChanges = ReadonlyMap<string, string | null>;

/**
 * The request as its handler sees it when the cache asks on its own behalf: other fields, everything else the same, context and body included.
 *
 * `headers`, `getHeader` and `raw` show the changes; nothing that core reads of a request besides depends on the fields that a cache changes.
 */
export const withFields = (request: HttpRequest, changes: FieldChanges): HttpRequest => {
  void request.context; // made before the two part, so that they share it
  const headers = new ChangedHeaders(request.headers, changes);
  let raw: globalThis.Request | undefined;
  return Object.create(request, {
    headers: { value: headers },
    getHeader: { value: (name: string, fallback: unknown = null) => headers.get(name, fallback) },
    raw: { get: () => (raw ??= new globalThis.Request(request.raw, { headers: [...headers] })) },
  }) as HttpRequest;
};

type Readable = { readonly [Name in keyof RequestHeaders]: RequestHeaders[Name] };

/** Request fields with changes, read like the original. */
class ChangedHeaders implements Readable {
  private readonly original: RequestHeaders;
  private readonly changes: FieldChanges;
  private collected: ReadonlyMap<string, string> | undefined;

  constructor(original: RequestHeaders, changes: FieldChanges) {
    this.original = original;
    this.changes = changes;
  }

  get(name: string, fallback?: undefined): string | null;
  get<T>(name: string, fallback: T): string | T;
  get(name: string, fallback: unknown = null): unknown {
    const change = this.changes.get(name.toLowerCase());
    return (change === undefined ? this.original.get(name) : change) ?? fallback;
  }

  getAll(name: string): string[] {
    const change = this.changes.get(name.toLowerCase());
    if (change === undefined) return this.original.getAll(name);
    return change === null ? [] : [change];
  }

  has(name: string): boolean {
    return this.get(name) !== null;
  }

  keys(): IteratorObject<string, undefined> {
    return this.byName().keys();
  }

  values(): IteratorObject<string, undefined> {
    return this.byName().values();
  }

  entries(): IteratorObject<[string, string], undefined> {
    return this.byName().entries();
  }

  [Symbol.iterator](): IteratorObject<[string, string], undefined> {
    return this.byName().entries();
  }

  forEach(callback: (value: string, name: string, headers: RequestHeaders) => void): void {
    for (const [name, value] of this.byName()) callback(value, name, this as unknown as RequestHeaders);
  }

  toObject(): Record<string, string> {
    return Object.assign(Object.create(null) as Record<string, string>, Object.fromEntries(this.byName()));
  }

  private byName(): ReadonlyMap<string, string> {
    if (this.collected !== undefined) return this.collected;
    const fields = new Map(this.original.entries());
    for (const [name, value] of this.changes) {
      if (value === null) fields.delete(name);
      else fields.set(name, value);
    }
    this.collected = fields;
    return fields;
  }
}
