import { HttpError } from "../errors/http-error.ts";
import { MethodNotAllowedError, NotFoundError } from "../errors/http-errors.ts";
import { knownMethods } from "../http/methods.ts";
import type { HttpRequest } from "../request/http-request.ts";
import { Response } from "../response/response.ts";
import { suggestions } from "../routing/suggestions.ts";

/**
 * Answers an unmatched request: 204 with `Allow` for OPTIONS, 405 with `Allow` when the path exists for other methods, 501 for an unknown
 * method, else 404; with suggestions of routes while debug is on.
 */
export const answerUnmatched = (
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
