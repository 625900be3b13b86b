import { type HttpRequest, RequestHeaders } from "@framework/core";

/** Request fields to set, or with `null` to take away, by lower-case name. */
export type FieldChanges = ReadonlyMap<string, string | null>;

/**
 * The request as its handler sees it when the cache asks on its own behalf: other fields, everything else the same, context and body included.
 *
 * `headers`, `getHeader` and `raw` show the changes; nothing that core reads of a request besides depends on the fields that a cache changes.
 */
export const withFields = (request: HttpRequest, changes: FieldChanges): HttpRequest => {
  void request.context; // made before the two part, so that they share it
  const headers = changedHeaders(request.headers, changes);
  let raw: globalThis.Request | undefined;
  return Object.create(request, {
    headers: { value: headers },
    getHeader: { value: (name: string, fallback: unknown = null) => headers.get(name, fallback) },
    raw: { get: () => (raw ??= new globalThis.Request(request.raw, { headers: [...headers] })) },
  }) as HttpRequest;
};

/** Request fields with changes, read like the original; put together when somebody asks. */
const changedHeaders = (original: RequestHeaders, changes: FieldChanges): RequestHeaders => {
  const kept = (name: string): readonly string[] =>
    changes.has(name) ? [] : original.getAll(name).flatMap((value) => [name, value]);
  return new RequestHeaders({
    field: (name) => {
      const change = changes.get(name);
      return change === undefined ? original.get(name) : change;
    },
    get fields() {
      const added = [...changes].flatMap(([name, value]) => (value === null ? [] : [name, value]));
      return [...[...original.keys()].flatMap(kept), ...added];
    },
  });
};
