import type { Server } from "@grpc/grpc-js";
import type { ServerOptions } from "node:http2";
import type { GrpcConfig } from "../config/grpc-config.ts";

/**
 * Sets how many calls a connection may cancel. Call it before the HTTP/2 server is created.
 *
 * Node's own limit of 33 a second closes the connection of a client whose deadlines pass while the service is overloaded, with every other call on it.
 */
export const limitResets = (
  server: Server,
  { resetBurst, resetsPerSec }: Pick<GrpcConfig, "resetBurst" | "resetsPerSec">,
): void => {
  // grpc-js, whose version is pinned, has no option for it.
  const { commonServerOptions } = server as unknown as { readonly commonServerOptions: ServerOptions };
  commonServerOptions.streamResetBurst = resetBurst;
  commonServerOptions.streamResetRate = resetsPerSec;
};
