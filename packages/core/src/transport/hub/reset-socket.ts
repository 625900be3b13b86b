import type { Socket } from "../../exchange/socket.ts";

/**
 * Closes a connection with a reset, which drops what the system still holds for the client: after an ordinary close it would go on sending for as
 * long as the client reads. A TLS connection is closed in the ordinary way, because Node cannot reset it.
 */
export const resetSocket = (socket: Socket): void => {
  if ("encrypted" in socket) socket.destroy();
  else socket.resetAndDestroy();
};
