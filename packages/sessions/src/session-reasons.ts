import type { HttpRequest, Middleware, Response } from "@framework/core";
import { type DecisionReasons, mapAwaitable } from "@framework/core/feature";
import { RequestSession } from "./request-session.ts";
import { CurrentSession } from "./session.ts";

/** Dependencies of `withReasons`. */
export interface SessionReasonParts {
  /** Whether a canonical path has no sessions. */
  skips(path: string): boolean;
  /** Whether a request has a session cookie. */
  hasCookie(request: HttpRequest): boolean;
  readonly reasons: DecisionReasons;
}

/** Wraps the middleware to report the reason of each decision to request traces. Ids, users and data are omitted. */
export const withReasons =
  (
    sessions: Middleware<HttpRequest, Response>,
    { skips, hasCookie, reasons }: SessionReasonParts,
  ): Middleware<HttpRequest, Response> =>
  (request, next) => {
    if (skips(request.path)) {
      reasons.give(request, "skipPaths exempts the path: the request has no session");
      return sessions(request, next);
    }
    return sessions(request, (input) => {
      const session = input.context.get(CurrentSession);
      if (!(session instanceof RequestSession)) return next(input);
      reasons.give(input, foundReason(session, hasCookie(input)));
      return mapAwaitable(next(input), (reply) => {
        reasons.give(input, changeReason(session, reply));
        return reply;
      });
    });
  };

const foundReason = ({ found }: RequestSession, hasCookie: boolean): string => {
  if (found !== null)
    return `the cookie's session is alive, ${found.entry.user === null ? "without" : "with"} a login`;
  return hasCookie
    ? "the cookie has no live session: the session expired, was ended, or never existed"
    : "the request has no session cookie";
};

/** Returns the effect of the reply on the session; the middleware applies it afterwards. */
const changeReason = (session: RequestSession, { status }: Response): string => {
  const { continuedSession, isRotated, isChanged } = session;
  if (session.endsAfter(status)) return "the session ends: its cookie is removed";
  if (status >= 500) return `a reply of ${status} saves nothing`;
  if (isRotated) return continuedSession === null ? "a session starts" : "the session gets a new id";
  if (isChanged) return "the data of the session changed";
  return continuedSession === null ? "no session starts" : "the data of the session is unchanged";
};
