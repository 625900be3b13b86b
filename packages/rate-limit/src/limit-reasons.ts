import type { HttpRequest, Middleware, Response } from "@framework/core";
import { type DecisionReasons, mapAwaitable } from "@framework/core/feature";
import type { Limit } from "./limit.ts";
import type { SeenClients } from "./seen-clients.ts";

/** Dependencies of `withReasons`. */
export interface ReasonParts {
  readonly limitOf: (request: HttpRequest) => Limit | null;
  readonly reasons: DecisionReasons;
  readonly seen: SeenClients;
}

/**
 * Wraps the middleware to report the reason of each decision to request traces, and to record the client for the panel. Reasons omit
 * the keys of clients, which may be credentials.
 */
export const withReasons =
  (
    limitRequests: Middleware<HttpRequest, Response>,
    { limitOf, reasons, seen }: ReasonParts,
  ): Middleware<HttpRequest, Response> =>
  (request, next) => {
    const limit = limitOf(request);
    if (limit === null) reasons.give(request, "no limit: the route or its path is exempt");
    // Read before the handler runs: authentication may change what the key function reads, and a reset changes the key prefix.
    const key = limit?.keyOf(request) ?? "";
    const client = limit?.clientOf(key) ?? "";
    let isAdmitted = false;
    const limited = limitRequests(request, (input) => {
      isAdmitted = true;
      return next(input);
    });
    return mapAwaitable(limited, (reply) => {
      const { headers } = reply;
      const [max, remaining] = [headers.get("x-ratelimit-limit"), headers.get("x-ratelimit-remaining")];
      if (max !== null && remaining !== null) reasons.give(request, `${remaining} of ${max} requests remain`);
      if (!isAdmitted)
        reasons.give(request, `refused: retry after ${headers.get("retry-after") ?? "unknown"} s`);
      if (limit !== null)
        seen.record(limit, key, {
          client,
          remaining: remaining === null ? null : Number(remaining),
          isAdmitted,
        });
      return reply;
    });
  };
