import { HttpError } from "../errors/http-error.ts";
import { MethodNotAllowedError, NotFoundError } from "../errors/http-errors.ts";
import type { HttpRequest } from "../request/http-request.ts";
import { Response } from "../response/response.ts";
import { suggestions } from "../routing/suggestions.ts";

/** Methods of RFC 9110 and RFC 10008, and PATCH; another token is unknown to this server. */
const known = new Set([
  "GET",
  "HEAD",
  "POST",
  "PUT",
  "PATCH",
  "DELETE",
  "OPTIONS",
  "QUERY",
  "TRACE",
  "CONNECT",
]);

/**
 * Answers a request that no route takes: 204 with `Allow` for OPTIONS, 405 with `Allow` where the path exists for other methods, 501 for a method
 * that nobody knows, else 404; with near routes while debug is on.
 */
export const answerUnmatched = (
  request: HttpRequest,
  allowed: readonly string[],
  routes: readonly string[] | null,
): Response => {
  const { path } = request;
  const method = request.method === "HEAD" ? "GET" : request.method; // it gets the reply of GET, length included (RFC 9110 8.6)
  if (!known.has(method)) throw new HttpError(501, "This method is not known here");
  if (allowed.length > 0) {
    if (method !== "OPTIONS") throw new MethodNotAllowedError(method, allowed);
    return new Response(null, { status: 204, headers: { allow: allowed.join(", ") } });
  }
  const near = routes === null ? [] : suggestions(method, path, routes);
  throw new NotFoundError(`No route for ${method} ${path}`, {
    path,
    ...(near.length > 0 ? { suggestions: near } : {}),
  });
};
