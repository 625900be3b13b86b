import type { Awaitable, Endpoint, HttpRequest, Middleware, Response, RouteInfo } from "@framework/core";
import { awaitLateReply, mapAwaitable } from "@framework/core/feature";
import type { CacheParts } from "./cache-parts.ts";
import { namedPaths } from "./named-paths.ts";
import { canOverlap } from "./path-overlap.ts";
import { pathTag } from "./route/tags.ts";

const safeMethods: ReadonlySet<string> = new Set(["GET", "HEAD", "OPTIONS", "QUERY", "TRACE"]);

/**
 * After a successful unsafe request, drops the stored replies of its path and of the paths in `Location` and `Content-Location` of its reply, in every worker,
 * before the reply is sent (RFC 9111 4.4). After the 504 of a timeout, drops them when the handler ends.
 */
export const invalidateOnWrite = (
  { purges, log, option }: Pick<CacheParts, "purges" | "log" | "option">,
  routes: () => readonly RouteInfo[],
): Middleware<HttpRequest, Response> => {
  const relevant = new Map<Endpoint, boolean>(); // bounded by the number of routes
  const affectsCache = (endpoint: Endpoint): boolean => {
    const known = relevant.get(endpoint);
    if (known !== undefined) return known;
    const overlaps = routes().some(
      (route) => isRead(route) && option.of(route) !== false && canOverlap(route.path, endpoint.pattern),
    );
    relevant.set(endpoint, overlaps);
    return overlaps;
  };
  const logFailure = (error: unknown, path: string): void =>
    log().error("cache: the drop after a write failed; outdated replies may be served", {
      error,
      path,
    });
  const dropAfter = (response: Response, request: HttpRequest, endpoint: Endpoint): Awaitable<Response> => {
    if (response.status < 200 || response.status > 399) return response;
    const { path } = request;
    const paths = [...(affectsCache(endpoint) ? [path] : []), ...namedPaths(response, request)];
    if (paths.length === 0) return response;
    return purges.dropUncounted(paths.map(pathTag)).then(
      () => response,
      (error: unknown) => {
        logFailure(error, path);
        return response; // the write succeeded: an error would make the client repeat it
      },
    );
  };
  return function invalidateOnWrite(request, next) {
    const { endpoint, method } = request;
    if (endpoint === null || safeMethods.has(method)) return next(request);
    const lateReply = awaitLateReply(request, { readsBody: false });
    return mapAwaitable(next(request), (response) => {
      lateReply.promise
        ?.then((reply) => dropAfter(reply, request, endpoint))
        .catch((error: unknown) => logFailure(error, request.path));
      return dropAfter(response, request, endpoint);
    });
  };
};

const isRead = ({ method, addedBy }: RouteInfo): boolean =>
  (method === "GET" || method === "QUERY") && addedBy === null;
