import type { RouteInfo } from "@framework/core";

/**
 * Returns a function that gives operations unique ids: the route's `name`, otherwise one such as `get_books_id` for `GET /books/{id}`; duplicates are numbered.
 *
 * @param routes all routes, so that no generated id equals a name
 */
export const operationIds = (routes: readonly RouteInfo[]): ((route: RouteInfo) => string) => {
  const names = new Set(routes.map(({ options }) => options.name));
  const taken = new Set<string>();
  return ({ method, path, options }) => {
    const wanted = options.name ?? idOf(method, path);
    for (let number = 1; ; number++) {
      const id = number === 1 ? wanted : `${wanted}_${number}`;
      if (taken.has(id) || (id !== options.name && names.has(id))) continue;
      taken.add(id);
      return id;
    }
  };
};

const idOf = (method: string, pattern: string): string =>
  [method.toLowerCase(), ...pattern.split(/[^A-Za-z0-9]+/)].filter((word) => word !== "").join("_");
