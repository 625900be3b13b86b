import type { HttpRequest, Middleware, Response } from "@framework/core";
import { BodyStream, type DecisionReasons, mapAwaitable } from "@framework/core/feature";

/** Adds the reason of each decision to the middleware, for tools that show the steps of a request. */
export const withReasons =
  (
    tagReplies: Middleware<HttpRequest, Response>,
    reasons: DecisionReasons,
  ): Middleware<HttpRequest, Response> =>
  (request, next) => {
    let own: string | null = null;
    const tagged = tagReplies(request, (input) =>
      mapAwaitable(next(input), (reply) => {
        own = reply.headers.get("etag");
        return reply;
      }),
    );
    return mapAwaitable(tagged, (reply) => {
      reasons.give(request, tagReason(reply, own));
      reasons.give(request, conditionReason(request, reply));
      return reply;
    });
  };

const tagReason = ({ headers, payload, status }: Response, own: string | null): string => {
  const tag = headers.get("etag");
  if (own !== null) return `the reply already has the tag ${own}`;
  if (tag !== null) return `added the tag ${tag}`;
  return payload instanceof BodyStream
    ? "no tag: the body is a stream"
    : `no tag: a ${status} without a complete body`;
};

const conditionReason = (request: HttpRequest, { status }: Response): string => {
  const fields = ["if-none-match", "if-modified-since"].filter((name) => request.getHeader(name) !== null);
  if (fields.length === 0) return "the request is unconditional";
  return status === 304 ? `304: ${fields.join(" and ")} matches` : `${fields.join(" and ")} does not match`;
};
