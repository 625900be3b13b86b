import type { HttpRequest } from "../request/http-request.ts";
import { keepPrivate } from "../response/keep-private.ts";
import type { Response } from "../response/response.ts";
import { addVary } from "../response/vary.ts";

/** Prepares a reply for the outer levels. Runs at each level, so it must be idempotent and cheap. */
export type PrepareReply = (reply: Response, request: HttpRequest) => Response;

/** The two ways to prepare a reply: inside and outside the reply cache. */
export interface PrepareReplies {
  readonly inside: PrepareReply;
  readonly outside: PrepareReply;
}

/**
 * Creates the steps that prepare replies: they end streamed bodies when the app drains or the exchange ends, add `Vary: Accept` if the program called `accepts`,
 * and outside the reply cache add `private` to each reply that depends on its caller. The cache stores replies without that `private`: it has its own rule for callers.
 */
export const prepareReplies = (endBodies: PrepareReply): PrepareReplies => {
  const inside: PrepareReply = (reply, request) =>
    request.negotiatesType ? varyByAccept(endBodies(reply, request)) : endBodies(reply, request);
  return {
    inside,
    outside: (reply, request) => {
      const prepared = inside(reply, request);
      return request.isPersonal && isReply(prepared) ? keepPrivate(prepared, request) : prepared;
    },
  };
};

const varyByAccept = (reply: Response): Response => {
  if (isReply(reply)) addVary(reply.headers, "Accept");
  return reply;
};

/** Untyped middleware may return nothing, which the transport reports. */
const isReply = (reply: Response | undefined): boolean => reply !== undefined && reply !== null;
