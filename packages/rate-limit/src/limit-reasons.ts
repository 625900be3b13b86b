import type { HttpRequest, Middleware, Response } from "@framework/core";
import { type DecisionReasons, mapAwaitable } from "@framework/core/feature";
import type { Limit } from "./limit.ts";

/** Adds the reason of each decision to the middleware, for tools that show the steps of a request. The key of a client may be a credential, and is left out. */
export const withReasons =
  (
    limitRequests: Middleware<HttpRequest, Response>,
    limitOf: (request: HttpRequest) => Limit | null,
    reasons: DecisionReasons,
  ): Middleware<HttpRequest, Response> =>
  (request, next) => {
    if (limitOf(request) === null)
      reasons.give(request, "no limit: the route, its path or a preflight is exempt");
    let isAdmitted = false;
    const limited = limitRequests(request, (input) => {
      isAdmitted = true;
      return next(input);
    });
    return mapAwaitable(limited, (reply) => {
      const { headers } = reply;
      const [limit, left] = [headers.get("x-ratelimit-limit"), headers.get("x-ratelimit-remaining")];
      if (limit !== null && left !== null) reasons.give(request, `${left} of ${limit} requests are left`);
      if (!isAdmitted)
        reasons.give(request, `refused: next attempt in ${headers.get("retry-after") ?? "some"} s`);
      return reply;
    });
  };
