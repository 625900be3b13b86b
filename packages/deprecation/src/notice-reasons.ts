import type { HttpRequest, Middleware, Response } from "@framework/core";
import { type DecisionReasons, mapOutput } from "@framework/core/feature";
import { nameOf } from "./caller.ts";
import type { Notice } from "./notice.ts";

/** Makes the middleware report the reason for each decision, for request traces, such as those of `framework explain`. Names of callers are omitted. */
export const withReasons =
  (
    announce: Middleware<HttpRequest, Response>,
    noticeFor: (request: HttpRequest) => Notice | undefined,
    callerOf: (request: HttpRequest) => string | null,
    reasons: DecisionReasons,
  ): Middleware<HttpRequest, Response> =>
  (request, next) => {
    const notice = noticeFor(request);
    if (notice === undefined) reasons.give(request, "the route is not deprecated");
    else reasons.give(request, noticeReason(notice));
    const reply = announce(request, next);
    if (notice === undefined) return reply;
    const explainCount = (answer: Response): Response => {
      reasons.give(
        request,
        `counted for ${nameOf(callerOf(request)) === null ? "anonymous callers" : "its caller"}`,
      );
      return answer;
    };
    return mapOutput(reply, explainCount, null);
  };

const noticeReason = ({ deprecation, sunset, successor }: Notice): string =>
  [
    deprecation === null ? "not deprecated" : `deprecated from ${dateOf(deprecation)}`,
    ...(sunset === null ? [] : [`may end on ${new Date(sunset).toISOString().slice(0, 10)}`]),
    ...(successor === null ? [] : [`replaced by ${successor}`]),
  ].join(", ");

const dateOf = (structured: string): string =>
  new Date(Number(structured.slice(1)) * 1000).toISOString().slice(0, 10);
