import type { RouteInfo } from "@framework/core";
import { parseDate } from "./date.ts";

/** The route options of the feature; the options of a blueprint are the defaults of its routes. */
export interface DeprecationRouteOptions {
  /**
   * Date from which clients should no longer use the route, which may be in the future: a day (`"2026-11-01"`, UTC) or a time (RFC 3339). `true` is the
   * `since` of `enableDeprecation`; `false` exempts the route from its blueprint's deprecation, sunset and successor.
   */
  readonly deprecated?: string | boolean;
  /** Date from which requests may fail: a day or a time as above, not before the deprecation. `false` for none. */
  readonly sunset?: string | false;
  /** Replacement: a path, which may have the route's parameters (`"/v2/books/{id}"`), or an http(s) URL. `false` for none. */
  readonly successor?: string | false;
}

type Route = Pick<RouteInfo, "path"> & { readonly options: object; readonly ownOptions: object };

const DATE = 'a day such as "2026-11-01" or a time such as "2026-11-01T12:00:00Z"';

/** Returns the deprecation options of a route. */
export const optionsOf = ({ options }: { readonly options: object }): DeprecationRouteOptions =>
  options as DeprecationRouteOptions;

/** Returns the time of a route's deprecation in Unix milliseconds; `null` if it has none. */
export const deprecatedAt = (
  { deprecated = false }: DeprecationRouteOptions,
  since: string | undefined,
): number | null => parseDate(deprecated === true ? since : deprecated);

export const deprecatedProblem = (value: unknown, since: string | undefined): string | null => {
  if (value === false || (value !== true && parseDate(value) !== null)) return null;
  if (value !== true) return `must be true, false, ${DATE}`;
  return since === undefined
    ? "true needs a date to announce: set it here, or for all routes in enableDeprecation({ since })"
    : null;
};

export const sunsetProblem = (value: unknown, route: Route, since: string | undefined): string | null => {
  if (value === false) return null;
  const sunset = parseDate(value);
  if (sunset === null) return `must be ${DATE}`;
  if (optionsOf(route).deprecated === false) return unusedWithFalse(route, "sunset");
  const deprecated = deprecatedAt(optionsOf(route), since);
  return deprecated !== null && sunset < deprecated ? "must not be before the route is deprecated" : null;
};

export const successorProblem = (value: unknown, route: Route): string | null => {
  if (value === false) return null;
  if (typeof value !== "string" || !isLink(value))
    return 'must be a path such as "/v2/books/{id}" or an http(s) URL, in ASCII without spaces';
  const { deprecated, sunset = false } = optionsOf(route);
  if (deprecated === false) return unusedWithFalse(route, "successor");
  if (deprecated === undefined && sunset === false)
    return "needs the option deprecated or sunset: a current route has no successor";
  const known = namesIn(route.path);
  const unknownName = namesIn(value).find((name) => !known.includes(name));
  return unknownName === undefined ? null : `has {${unknownName}}, which is not a parameter of ${route.path}`;
};

/** Returns the problem of an option combined with `deprecated: false`; `null` if it is inherited from the blueprint. */
const unusedWithFalse = (route: Route, name: keyof DeprecationRouteOptions): string | null =>
  optionsOf({ options: route.ownOptions })[name] === undefined
    ? null
    : "has no effect with deprecated: false: remove one of the two";

/** Whether a text has the characters of a URI (RFC 3986 2), and braces only around parameters; `<`, `>`, quotes and control characters would end the link. */
export const isLink = (text: string): boolean => {
  const uri = text.replaceAll(/\{([^{}]*)\}/g, "$1");
  return (
    /^(?:\/(?!\/)|https?:\/\/)[\w\-.~:/?#[\]@!$&'()*+,;=%]*$/.test(uri) &&
    URL.canParse(uri, "http://localhost")
  );
};

const namesIn = (pattern: string): string[] =>
  [...pattern.matchAll(/\{\*?([^{}]*)\}/g)].map(([, name = ""]) => name);
