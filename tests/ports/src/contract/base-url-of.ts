import type { Server } from "node:net";

/** Returns the base URL of an HTTP server that listens on 127.0.0.1. */
export const baseUrlOf = (server: Pick<Server, "address">): string => {
  const address = server.address();
  if (address === null || typeof address === "string")
    throw new Error("the server does not listen on a port");
  return `http://127.0.0.1:${address.port}`;
};
