import type { Socket } from "../../exchange/socket.ts";

/**
 * Closes a connection with a reset, which drops the data that the system has buffered for the client: after an ordinary close the system would continue to send
 * for as long as the client reads. A TLS connection is closed normally, because Node cannot reset it.
 */
export const resetSocket = (socket: Socket): void => {
  if ("encrypted" in socket) socket.destroy();
  else socket.resetAndDestroy();
};
