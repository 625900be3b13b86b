import type { Server } from "@grpc/grpc-js";
import type { ServerOptions } from "node:http2";
import type { GrpcConfig } from "../config/grpc-config.ts";

/**
 * Sets how many calls a connection may cancel. Must run before the HTTP/2 server is created.
 *
 * With Node's default of 33 per second, a client whose deadlines pass while the service is overloaded loses its connection, and all its other calls with it.
 */
export const limitResets = (
  server: Server,
  { resetBurst, resetsPerSec }: Pick<GrpcConfig, "resetBurst" | "resetsPerSec">,
): void => {
  // grpc-js has no option for these limits. Its version is pinned.
  const { commonServerOptions } = server as unknown as { readonly commonServerOptions: ServerOptions };
  commonServerOptions.streamResetBurst = resetBurst;
  commonServerOptions.streamResetRate = resetsPerSec;
};
