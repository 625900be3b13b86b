import type { Draining } from "../lifecycle/draining.ts";
import type { HttpRequest } from "../request/http-request.ts";
import { ByteChunks } from "../response/byte-stream.ts";
import { EndlessBody } from "../response/endless-body.ts";
import { BodyStream, type Payload } from "../exchange/payload.ts";
import type { Reply } from "../exchange/reply.ts";
import type { Response } from "../response/response.ts";

/**
 * Creates the step that ends streamed bodies: endless bodies when the app drains, and unread bodies at the end of the exchange, because a middleware may drop
 * a reply.
 *
 * It runs at every level that can return a reply, because an outer level may wrap the body: a compressed event stream must end with its trailer.
 */
export const endBodies =
  (draining: Draining): ((reply: Response, request: HttpRequest) => Response) =>
  (reply, request) => {
    const payload = endWithDrain(reply, draining);
    if (payload instanceof BodyStream && payload.chunks instanceof ByteChunks)
      closeUnread(payload.chunks, request);
    return reply;
  };

/** Ends the body of a reply, if it is endless, when the app drains. Returns the payload. */
export const endWithDrain = (reply: Reply, draining: Draining): Payload | undefined => {
  const payload = (reply as Reply | undefined)?.payload; // untyped code may return nothing, which the transport reports
  if (typeof payload === "object" && payload instanceof EndlessBody) payload.endWith(draining);
  return payload;
};

/**
 * Closes unread chunks at the end of the exchange, not earlier: a middleware may return a reply whose body reads them. After the end, the caller of `next` owns
 * the chunks.
 */
const closeUnread = (chunks: ByteChunks, request: HttpRequest): void => {
  if (!chunks.beginWatch()) return;
  let isRegistered = false; // an exchange that has ended calls the listener at once
  request.onEnd(() => {
    if (isRegistered) chunks.closeUnread();
  });
  isRegistered = true;
};
