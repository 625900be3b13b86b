import type { Endpoint, HttpRequest, Middleware, Response, RouteInfo } from "@framework/core";
import { mapAwaitable } from "@framework/core/feature";
import type { CacheParts } from "./cache-parts.ts";
import { canMeet } from "./path-overlap.ts";
import { pathTag } from "./route/tags.ts";

const safeMethods: ReadonlySet<string> = new Set(["GET", "HEAD", "OPTIONS", "QUERY", "TRACE"]);

/**
 * Drops what is stored for the path of a successful unsafe request, in every worker, before its reply goes out (RFC 9111 4.4).
 *
 * A route that shares no path with a cached one costs nothing.
 */
export const invalidateOnWrite = (
  { purges, log, option }: Pick<CacheParts, "purges" | "log" | "option">,
  routes: () => readonly RouteInfo[],
): Middleware<HttpRequest, Response> => {
  const relevant = new Map<Endpoint, boolean>(); // as many as there are routes
  const concerns = (endpoint: Endpoint): boolean => {
    const known = relevant.get(endpoint);
    if (known !== undefined) return known;
    const meets = routes().some(
      (route) => isRead(route) && option.of(route) !== false && canMeet(route.path, endpoint.pattern),
    );
    relevant.set(endpoint, meets);
    return meets;
  };
  return function invalidateOnWrite(request, next) {
    const { endpoint, method, path } = request;
    if (endpoint === null || safeMethods.has(method) || !concerns(endpoint)) return next(request);
    return mapAwaitable(next(request), (response) => {
      if (response.status < 200 || response.status > 399) return response;
      return purges.dropOne(pathTag(path)).then(
        () => response,
        (error: unknown) => {
          log().error("cache: other workers may serve what a request has changed", { error, path });
          return response; // the change is made: an error would make the client repeat it
        },
      );
    });
  };
};

const isRead = ({ method, addedBy }: RouteInfo): boolean =>
  (method === "GET" || method === "QUERY") && addedBy === null;
