import type { BeginUpgraded, UpgradeOffer } from "../exchange/upgrade.ts";
import { Response } from "../response/response.ts";

/**
 * The client's request to speak WebSocket on its connection (RFC 6455 4.1). Guards, middleware and handler decide on it as on any request;
 * unless they accept it the request is answered as ordinary HTTP, and the connection closes after the answer.
 *
 * @example
 * app.get("/echo", ({ upgrade }) => {
 *   if (upgrade === null) throw new HttpError(426, "This path speaks WebSocket", { headers: { upgrade: "websocket" } });
 *   return upgrade.accept(({ socket, head, fields }) => speak(socket, head, fields));
 * });
 */
export interface Upgrade {
  /**
   * Gives the reply that accepts. When it has passed all middleware as 101, `begin` is called, once, and the request has ended; a reply of
   * another status is sent instead and `begin` is never called. Of several calls the last counts.
   */
  accept(begin: BeginUpgraded): Response;
}

/** What a handler sees of an offer to upgrade. */
export const upgradeOf = (offer: UpgradeOffer): Upgrade => ({
  accept(begin) {
    offer.accept(begin);
    return Response.switchingProtocols();
  },
});
