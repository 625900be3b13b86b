import type { Guard, HttpRequest } from "@framework/core";
import type { ServerSocket } from "@framework/websocket";

/** Options of the WebSocket route of this package. */
export interface SocketRouteOptions {
  readonly guards: readonly Guard<HttpRequest>[];
  readonly protocols: readonly string[];
  readonly limits: { readonly maxMessageBytes: number };
  /** Handles requests without an upgrade. */
  readonly http: (request: HttpRequest) => unknown;
}

/** The method of the websocket feature that this package calls. */
export interface SocketRoutes {
  readonly websocket: (
    path: string,
    options: SocketRouteOptions,
    handler: (socket: ServerSocket, request: HttpRequest) => unknown,
  ) => void;
}
