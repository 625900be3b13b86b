import { HttpError } from "../errors/http-error.ts";
import { MethodNotAllowedError, NotFoundError } from "../errors/http-errors.ts";
import { knownMethods } from "../http/methods.ts";
import type { HttpRequest } from "../request/http-request.ts";
import { Response } from "../response/response.ts";
import { suggestions } from "../routing/suggestions.ts";

/**
 * Replies to an unmatched request. An unknown method gets 501. On a path with routes, OPTIONS gets 204 with `Allow`, and other methods get 405 with `Allow`.
 * Any other path gets 404, with suggestions of routes while debug is on.
 */
export const replyToUnmatched = (
  request: HttpRequest,
  allowed: readonly string[],
  routes: readonly string[] | null,
): Response => {
  const { path } = request;
  const method = request.method === "HEAD" ? "GET" : request.method; // HEAD gets the reply of GET, including its length (RFC 9110 8.6)
  if (!knownMethods.has(method)) throw new HttpError(501, "This server does not support the method");
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
