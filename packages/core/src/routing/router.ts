import type { Problem } from "../errors/configuration-error.ts";
import type { CanonicalTarget } from "./canonical-path.ts";
import { isStatic, paramsOf, parsePattern, type Pattern } from "./pattern.ts";
import { routeConflict } from "./route-conflict.ts";
import type { Place } from "./route-place.ts";
import { RouteTree } from "./route-tree.ts";

/** Maximum length of a path in the one-entry cache. */
const MAX_CACHED_LENGTH = 256;

/** The matched route of a request. */
export interface Match<T> {
  /** The registered method: `GET` when a GET route serves `HEAD`. */
  readonly method: string;
  readonly pattern: Pattern;
  readonly value: T;
  /** Decoded path parameters in an object without prototype, created on first access. */
  readonly params: Readonly<Record<string, string>>;
}

/** A route in the trees; `fixed` is the shared match of a route without parameters. */
interface Entry<T> {
  readonly method: string;
  readonly pattern: Pattern;
  readonly value: T;
  readonly place: Place;
  readonly fixed: Match<T> | null;
}

/**
 * Finds the route for a method and a canonical path, independent of registration order.
 *
 * In each segment, static text takes precedence over `{param}`, and `{param}` over `{*wildcard}`, with backtracking, separately for each method: if a path has
 * a static route for `POST` only, `GET` finds the `{param}` route. A `GET` route also serves `HEAD`, unless `HEAD` has a route of the same shape.
 */
export class Router<T> {
  private readonly trees = new Map<string, RouteTree<Entry<T>>>();
  /** The last lookup and its result: consecutive requests often have the same path. */
  private method = "";
  private path = "";
  private found: Entry<T> | null = null;
  /** Whether a parameter in the last path may be escaped. */
  private escaped = false;

  /** Adds a route, or returns the problem: CORE_ROUTE_BAD_PATTERN, CORE_ROUTE_DUPLICATE. */
  add(method: string, path: string, value: T, place: Place): Problem | null {
    const { pattern, problem } = parsePattern(path);
    if (pattern === null) return { ...problem, message: `${problem.message} (at ${place.toString()})` };
    const slot = this.tree(method).slot(pattern);
    const entry = createEntry(method, pattern, value, place);
    if (slot.entry?.method === method) return routeConflict(slot.entry, entry);
    slot.entry = entry;
    if (method === "GET") this.tree("HEAD").slot(pattern).entry ??= entry;
    this.path = "";
    return null;
  }

  /** Returns the matching route; `null` if there is none. */
  find(method: string, { path }: Pick<CanonicalTarget, "path">): Match<T> | null {
    const entry = path === this.path && method === this.method ? this.found : this.search(method, path);
    return entry === null ? null : (entry.fixed ?? new PathMatch(entry, path, this.escaped, null));
  }

  private search(method: string, path: string): Entry<T> | null {
    const entry = this.trees.get(method)?.find(path) ?? null;
    this.method = method;
    this.path = path.length > MAX_CACHED_LENGTH ? "" : path;
    this.escaped = entry !== null && entry.fixed === null && path.includes("%");
    return (this.found = entry);
  }

  /** Returns the methods of a path, in the form of `methods`; empty when no route matches the path. */
  allowedMethods({ path }: Pick<CanonicalTarget, "path">): readonly string[] {
    const found = [...this.trees].filter(([, tree]) => tree.find(path) !== null);
    return found.length === 0 ? [] : withOptions(found.map(([method]) => method));
  }

  /** Returns the methods of all routes, for `Allow`: `HEAD` with `GET`, and `OPTIONS`, in alphabetical order. */
  methods(): readonly string[] {
    return withOptions([...this.trees.keys()]);
  }

  private tree(method: string): RouteTree<Entry<T>> {
    const tree = this.trees.get(method) ?? new RouteTree<Entry<T>>();
    this.trees.set(method, tree);
    return tree;
  }
}

const withOptions = (methods: readonly string[]): string[] => [...new Set(methods).add("OPTIONS")].sort();

const createEntry = <T>(method: string, pattern: Pattern, value: T, place: Place): Entry<T> => {
  // An instance of the same class as other matches, so that reads stay monomorphic.
  const fixed = isStatic(pattern) ? new PathMatch({ method, pattern, value }, "", false, noParams) : null;
  return { method, pattern, value, place, fixed };
};

const noParams: Readonly<Record<string, string>> = Object.freeze(Object.create(null));

class PathMatch<T> implements Match<T> {
  readonly method: string;
  readonly pattern: Pattern;
  readonly value: T;
  private readonly path: string;
  private readonly escaped: boolean;
  private decodedParams: Readonly<Record<string, string>> | null;

  constructor(
    { method, pattern, value }: Pick<Entry<T>, "method" | "pattern" | "value">,
    path: string,
    escaped: boolean,
    params: Readonly<Record<string, string>> | null,
  ) {
    this.method = method;
    this.pattern = pattern;
    this.value = value;
    this.path = path;
    this.escaped = escaped;
    this.decodedParams = params;
  }

  get params(): Readonly<Record<string, string>> {
    return (this.decodedParams ??= paramsOf(this.pattern, this.path, this.escaped));
  }
}
