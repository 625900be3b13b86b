import { type HttpRequest, RequestHeaders } from "@framework/core";

/** Request fields to set, or to remove with `null`, by lower-case name. */
export type FieldChanges = ReadonlyMap<string, string | null>;

/**
 * Returns a request with changed header fields that shares everything else with the original: context, body, signal, scope, deferred tasks.
 *
 * `headers`, `getHeader` and `raw` include the changes; no other property of a request depends on the fields that a cache changes.
 */
export const withFields = (request: HttpRequest, changes: FieldChanges): HttpRequest => {
  const headers = changedHeaders(request.headers, changes);
  let raw: globalThis.Request | undefined;
  return Object.create(request, {
    ...sharedState(request),
    headers: { value: headers },
    getHeader: { value: (name: string, fallback: unknown = null) => headers.get(name, fallback) },
    raw: { get: () => (raw ??= changedRaw(request.raw, changes)) },
  }) as HttpRequest;
};

const changedRaw = (raw: globalThis.Request, changes: FieldChanges): globalThis.Request => {
  const headers = new Headers(raw.headers); // not those of `request`: `raw` lacks `Content-Encoding` if the body was decoded
  for (const [name, value] of changes) {
    if (value === null) headers.delete(name);
    else headers.set(name, value);
  }
  return new globalThis.Request(raw, { headers });
};

/** Returns accessors for the properties of the original request, so that a value that either request computes on first use is shared. */
const sharedState = (request: HttpRequest): PropertyDescriptorMap =>
  Object.fromEntries(
    Object.keys(request).map((name) => [
      name,
      {
        get: (): unknown => Reflect.get(request, name),
        set: (value: unknown): void => void Reflect.set(request, name, value),
      },
    ]),
  );

/** Returns the request fields with the changes, merged on first access. */
const changedHeaders = (original: RequestHeaders, changes: FieldChanges): RequestHeaders => {
  const unchangedField = (name: string): readonly string[] =>
    changes.has(name) ? [] : original.getAll(name).flatMap((value) => [name, value]);
  return new RequestHeaders({
    field: (name) => {
      const change = changes.get(name);
      return change === undefined ? original.get(name) : change;
    },
    get fields() {
      const added = [...changes].flatMap(([name, value]) => (value === null ? [] : [name, value]));
      return [...[...original.keys()].flatMap(unchangedField), ...added];
    },
  });
};
