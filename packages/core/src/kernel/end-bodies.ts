import type { Draining } from "../lifecycle/draining.ts";
import type { HttpRequest } from "../request/http-request.ts";
import { ByteChunks } from "../response/byte-stream.ts";
import { EndlessBody } from "../response/endless-body.ts";
import { BodyStream } from "../exchange/payload.ts";
import type { Reply } from "../exchange/reply.ts";
import type { Response } from "../response/response.ts";

/**
 * Creates the step that ends streamed bodies: an endless one when the app drains, and an unread one at the end of the exchange, because a middleware may drop a
 * reply.
 *
 * It runs at every level that can return a reply, because the level outside may wrap the body: a compressed event stream must end with its trailer.
 */
export const endBodies =
  (draining: Draining): ((reply: Response, request: HttpRequest) => Response) =>
  (reply, request) => {
    const payload = (reply as Response | undefined)?.payload; // untyped middleware may return nothing, which the transport reports
    if (typeof payload === "object" && payload instanceof BodyStream) {
      if (payload instanceof EndlessBody) payload.endWith(draining);
      if (payload.chunks instanceof ByteChunks) closeUnread(payload.chunks, request);
    }
    return reply;
  };

/** Ends the endless body of a reply from a feature's own port when the app drains. */
export const endWithDrain = (reply: Reply, draining: Draining): Reply => {
  const payload = (reply as Reply | undefined)?.payload; // the transport reports a missing reply
  if (payload instanceof EndlessBody) payload.endWith(draining);
  return reply;
};

/** Closes unread chunks at the end of the exchange, not before: a middleware may return a reply whose body reads them. Later ones belong to the caller of `next`. */
const closeUnread = (chunks: ByteChunks, request: HttpRequest): void => {
  if (!chunks.beginWatch()) return;
  let isWatched = false;
  request.onEnd(() => {
    if (isWatched) chunks.closeUnread();
  });
  isWatched = true;
};
