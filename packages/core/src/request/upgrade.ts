import type { UpgradeHandler, UpgradeOffer } from "../exchange/upgrade.ts";
import { Response } from "../response/response.ts";

/**
 * A client's request to upgrade its connection to WebSocket (RFC 6455 4.1). It passes middleware and guards like any request. Unless the handler accepts it,
 * the reply is ordinary HTTP, and then the connection closes.
 *
 * @example
 * app.get("/echo", ({ upgrade }) => {
 *   if (upgrade === null) throw new HttpError(426, "This path requires WebSocket", { headers: { upgrade: "websocket" } });
 *   return upgrade.accept(({ socket, head, fields }) => speak(socket, head, fields));
 * });
 */
export interface Upgrade {
  /**
   * Returns the reply that accepts the upgrade. If its status is still 101 after all middleware, `begin` is called once, after the request has ended. A reply
   * with another status is sent unchanged, and `begin` is never called. Of several calls, the last one applies.
   */
  accept(begin: UpgradeHandler): Response;
}

/** Returns the handler's interface to an upgrade offer. */
export const upgradeOf = (offer: UpgradeOffer): Upgrade => ({
  accept(begin) {
    offer.accept(begin);
    return Response.switchingProtocols();
  },
});
