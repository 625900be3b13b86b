import type { HttpRequest, Middleware, Response } from "@framework/core";
import { BodyStream, type DecisionReasons, mapOutput } from "@framework/core/feature";
import { mayBeUnchanged } from "./not-modified.ts";

/** Adds the reason of each decision to the middleware, for request traces, such as those of `framework explain`. */
export const withReasons =
  (
    tagReplies: Middleware<HttpRequest, Response>,
    reasons: DecisionReasons,
  ): Middleware<HttpRequest, Response> =>
  (request, next) => {
    let own: string | null = null;
    const noteOwnTag = (reply: Response): Response => {
      own = reply.headers.get("etag");
      return reply;
    };
    const explain = (reply: Response): Response => {
      reasons.give(request, tagReason(reply, own));
      reasons.give(request, conditionReason(request, reply));
      return reply;
    };
    const tagged = tagReplies(request, (input) => mapOutput(next(input), noteOwnTag, null));
    return mapOutput(tagged, explain, null);
  };

const tagReason = ({ headers, payload, status }: Response, own: string | null): string => {
  const tag = headers.get("etag");
  if (own !== null) return `the reply already has the tag ${own}`;
  if (tag !== null) return `added the tag ${tag}`;
  return payload instanceof BodyStream
    ? "no tag: the body is a stream"
    : `no tag: a ${status} without a complete body`;
};

const conditionReason = (request: HttpRequest, reply: Response): string => {
  const field = conditionFields.find((name) => request.getHeader(name) !== null);
  if (field === undefined) return "the request is unconditional";
  if (reply.status === 304) return `304: ${field} matches`;
  return mayBeUnchanged(request, reply)
    ? `${field} does not match`
    : `${field} is ignored: only a successful reply to GET or HEAD can be 304`;
};

/** By precedence: with If-None-Match, If-Modified-Since is ignored (RFC 9110 13.2.2). */
const conditionFields = ["if-none-match", "if-modified-since"];
