import type { HttpRequest } from "./http-request.ts";

/** Names a value in a request's context and says its type; `initial` is what `get` gives before anybody set it. */
export interface Key<T> {
  readonly name: string;
  readonly initial: T;
}

/**
 * Makes a key for per-request state.
 *
 * @example
 * export const Tenant: Key<string | null> = key<string | null>("tenant", null);
 */
export const key = <T>(name: string, initial: T): Key<T> => Object.freeze({ name, initial });

/** The request's id, once the request-id feature has set it. */
export const RequestId: Key<string | null> = key<string | null>("request_id", null);

/** Gives the token against forgery of a request, and notes that its reply holds one. */
export interface CsrfTokens {
  token(request: HttpRequest): string;
}

/** Where `request.csrfToken` comes from, once a feature protects the request against cross-site forgery. */
export const CsrfTokens: Key<CsrfTokens | null> = key<CsrfTokens | null>("csrf_tokens", null);

/** Whether the origin that a page gave is one that the app lists for calls from other origins; set on requests that may become WebSockets. */
export const OriginAllowed: Key<boolean> = key("origin_allowed", false);

/**
 * Store of one request that middleware fills and handlers read; never filled from client input.
 *
 * A key's name works as a string too: `context.get("request_id")`.
 */
export class Context {
  private readonly values: Map<string, unknown> = new Map();

  /** The value of a typed key, its `initial` when unset; by name the value or `null`. */
  get<T>(key: Key<T>): T;
  get(name: string): unknown;
  get(key: Key<unknown> | string): unknown {
    if (typeof key === "string") return this.values.get(key) ?? null;
    const value = this.values.get(key.name);
    return value !== undefined || this.values.has(key.name) ? value : key.initial;
  }

  set<T>(key: Key<T>, value: T): this;
  set(name: string, value: unknown): this;
  set(key: Key<unknown> | string, value: unknown): this {
    this.values.set(nameOf(key), value);
    return this;
  }

  has(key: Key<unknown> | string): boolean {
    return this.values.has(nameOf(key));
  }

  /** Removes a value and tells whether there was one. */
  delete(key: Key<unknown> | string): boolean {
    return this.values.delete(nameOf(key));
  }

  clear(): void {
    this.values.clear();
  }

  [Symbol.iterator](): IterableIterator<[string, unknown]> {
    return this.values[Symbol.iterator]();
  }
}

const nameOf = (key: Key<unknown> | string): string => (typeof key === "string" ? key : key.name);
