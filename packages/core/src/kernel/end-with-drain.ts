import type { Draining } from "../lifecycle/draining.ts";
import { EndlessBody } from "../response/endless-body.ts";
import type { Response } from "../response/response.ts";

/**
 * Creates the step that makes the endless body of a reply end when the app drains.
 *
 * It runs at every level that can return a reply, because the level outside may wrap the body: a compressed event stream must end with its trailer.
 */
export const endWithDrain =
  (draining: Draining): ((reply: Response) => Response) =>
  (reply) => {
    const payload = (reply as Response | undefined)?.payload; // untyped middleware may return nothing, which the transport reports
    if (typeof payload === "object" && payload instanceof EndlessBody) payload.endWith(draining);
    return reply;
  };
