import type { Problem } from "../errors/configuration-error.ts";
import type { Pattern } from "./pattern.ts";
import type { Place } from "./route-place.ts";

/** A route as the program registered it. */
export interface RegisteredRoute {
  readonly method: string;
  readonly pattern: Pattern;
  readonly place: Place;
}

/** The problem (CORE_ROUTE_DUPLICATE) of two routes with one method and one shape, with the places of both; parameter names do not tell routes apart. */
export const routeConflict = (earlier: RegisteredRoute, later: RegisteredRoute): Problem => {
  const { method, pattern } = earlier;
  const clash =
    pattern.path === later.pattern.path
      ? `${method} ${pattern.path} is registered twice`
      : `${method} ${pattern.path} and ${method} ${later.pattern.path} match the same paths`;
  const places = `${earlier.place.toString()} and ${later.place.toString()}`;
  return { code: "CORE_ROUTE_DUPLICATE", message: `${clash}, at ${places}: remove one or change its path` };
};
