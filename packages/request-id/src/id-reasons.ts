import type { HttpRequest, Middleware, Response } from "@framework/core";
import type { DecisionReasons } from "@framework/core/feature";
import { isSafeId } from "./safe-id.ts";

/** Adds the reason of each decision to the middleware, for request traces, such as those of `framework explain`. */
export const withReasons =
  (
    identify: Middleware<HttpRequest, Response>,
    { headerName, keepIncoming }: { readonly headerName: string; readonly keepIncoming: boolean },
    reasons: DecisionReasons,
  ): Middleware<HttpRequest, Response> =>
  (request, next) => {
    const incoming = request.getHeader(headerName);
    if (incoming === null) reasons.give(request, `a new id: the request has no ${headerName}`);
    else if (!keepIncoming) reasons.give(request, `a new id: keepIncoming is false`);
    else if (!isSafeId(incoming)) reasons.give(request, `a new id: ${headerName} is not safe to log`);
    else reasons.give(request, `the id of ${headerName} is kept`);
    return identify(request, next);
  };
