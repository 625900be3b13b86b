import { type HttpRequest, RequestHeaders } from "@framework/core";

/** Request fields to set, or to remove with `null`, by lower-case name. */
export type FieldChanges = ReadonlyMap<string, string | null>;

/**
 * Returns the request for a handler with changed header fields; everything else, including context and body, is the same.
 *
 * `headers`, `getHeader` and `raw` include the changes; no other property of a request depends on the fields that a cache changes.
 */
export const withFields = (request: HttpRequest, changes: FieldChanges): HttpRequest => {
  void request.context; // created before the copy, so that both share it
  const headers = changedHeaders(request.headers, changes);
  let raw: globalThis.Request | undefined;
  return Object.create(request, {
    headers: { value: headers },
    getHeader: { value: (name: string, fallback: unknown = null) => headers.get(name, fallback) },
    raw: { get: () => (raw ??= new globalThis.Request(request.raw, { headers: [...headers] })) },
  }) as HttpRequest;
};

/** Request fields with changes, merged on first access. */
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
