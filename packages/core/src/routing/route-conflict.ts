import type { Problem } from "../errors/configuration-error.ts";
import type { Pattern } from "./pattern.ts";
import type { Place } from "./route-place.ts";

/** A registered route with its place in the program. */
export interface RegisteredRoute {
  readonly method: string;
  readonly pattern: Pattern;
  readonly place: Place;
}

/** Creates the problem (CORE_ROUTE_DUPLICATE) of two routes with the same method and the same path apart from parameter names; it names both places. */
export const routeConflict = (earlier: RegisteredRoute, later: RegisteredRoute): Problem => {
  const { method, pattern } = earlier;
  const clash =
    pattern.path === later.pattern.path
      ? `${method} ${pattern.path} is registered twice`
      : `${method} ${pattern.path} and ${method} ${later.pattern.path} match the same paths`;
  const places = `${earlier.place.toString()} and ${later.place.toString()}`;
  return { code: "CORE_ROUTE_DUPLICATE", message: `${clash}, at ${places}: remove one or change its path` };
};
