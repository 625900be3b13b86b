import type { HttpRequest } from "@framework/core";
import { isUnder } from "@framework/core/feature";

/** Whether a request is never limited: a probe, a scrape, a page of the docs, a preflight of CORS (Fetch standard), or a path that is exempt. */
export const isExempt = (request: HttpRequest, exemptPaths: readonly string[]): boolean => {
  const builtIn = request.endpoint === null ? null : request.endpoint.builtIn;
  if (builtIn !== null && builtIn !== "other") return true;
  if (request.method === "OPTIONS" && isPreflight(request)) return true;
  for (const path of exemptPaths) if (isUnder(request.path, path)) return true;
  return false;
};

const isPreflight = (request: HttpRequest): boolean =>
  request.getHeader("origin") !== null && request.getHeader("access-control-request-method") !== null;
