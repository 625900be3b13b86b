import type { HttpRequest, Middleware, Response } from "@framework/core";
import { type DecisionReasons, mapOutput } from "@framework/core/feature";
import type { CorsConfig } from "./cors-config.ts";
import { isPreflight } from "./cors-fields.ts";

/** Adds the reason of each decision to the middleware, for request traces, such as those of `framework explain`. */
export const withReasons = (
  shareResources: Middleware<HttpRequest, Response>,
  { origins }: CorsConfig,
  reasons: DecisionReasons,
): Middleware<HttpRequest, Response> => {
  const allowedOrigins = new Set(origins);
  const verdict = (origin: string): string => {
    if (allowedOrigins.has("*")) return "every origin is allowed";
    return allowedOrigins.has(origin) ? "the origin is listed" : "the origin is not listed";
  };
  return (request, next) => {
    const origin = request.getHeader("origin");
    if (origin === null)
      reasons.give(request, "the request has no Origin: it is not from a page of another origin");
    else if (isPreflight(request, origin)) reasons.give(request, `a preflight: ${verdict(origin)}`);
    const explain = (reply: Response): Response => {
      if (origin !== null && !isPreflight(request, origin))
        reasons.give(
          request,
          `${verdict(origin)}: its pages may ${allows(reply) ? "" : "not "}read the reply`,
        );
      return reply;
    };
    return mapOutput(shareResources(request, next), explain, null);
  };
};

const allows = ({ headers }: Response): boolean => headers.has("access-control-allow-origin");
