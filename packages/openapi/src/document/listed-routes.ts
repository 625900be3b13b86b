import type { Method, RouteInfo } from "@framework/core";
import { type PathTemplate, pathTemplate } from "./path-template.ts";

/** A route of the document. */
export interface ListedRoute {
  readonly route: RouteInfo;
  /** Key under `paths`; routes of one shape share a key with the parameter names of the first route. */
  readonly path: string;
  readonly template: PathTemplate;
  /** Names of the parameters in `path`, in order. */
  readonly names: readonly string[];
}

const methods: readonly Method[] = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "QUERY"];

/**
 * Returns the routes of the document, sorted by path and method, so the order of registration has no effect.
 *
 * OpenAPI ignores parameter names when it compares paths, and has no wildcards: if `/files/{name}` and `/files/{*path}` have the same method, the second is
 * omitted with a warning.
 */
export const listedRoutes = (
  routes: readonly RouteInfo[],
  warn: (message: string) => void,
): readonly ListedRoute[] => {
  const shapes = new Map<string, ListedRoute[]>();
  for (const route of routes.toSorted(byPathAndMethod)) {
    const template = pathTemplate(route.path);
    const group = shapes.get(template.shape) ?? [];
    shapes.set(template.shape, group);
    const duplicate = group.find((listed) => listed.route.method === route.method);
    if (duplicate !== undefined) {
      warn(
        `${route.method} ${route.path} is not in the API document: OpenAPI cannot distinguish its path from ${duplicate.route.path}`,
      );
      continue;
    }
    const { path, names } = group[0] ?? {
      path: template.path,
      names: template.params.map(({ name }) => name),
    };
    group.push({ route, path, template, names });
  }
  return [...shapes.values()].flat();
};

const byPathAndMethod = (a: RouteInfo, b: RouteInfo): number =>
  compare(sortKey(a.path), sortKey(b.path)) || methods.indexOf(a.method) - methods.indexOf(b.method);

/** Returns a key that sorts wildcards after parameters, which take precedence. */
const sortKey = (path: string): string => path.replace("{*", "{~");

const compare = (a: string, b: string): number => (a < b ? -1 : Number(a > b));
