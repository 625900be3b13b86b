import type { Guard, HttpRequest, Injections, NoInput, StandardSchema } from "@framework/core";
import type { ConfigInput } from "@framework/core/feature";
import type { WebSocketLimits } from "./websocket-config.ts";
import type { ServerSocket } from "./server-socket.ts";

/** Options of a WebSocket route. */
export interface WebSocketOptions<
  Schema extends StandardSchema | undefined = undefined,
  Inject extends Injections | undefined = undefined,
  Each extends Injections | undefined = undefined,
> {
  /** Guards, which run before the upgrade; a refusal is an HTTP reply. */
  readonly guards?: readonly Guard<HttpRequest>[];
  /**
   * Dependencies, passed to the handler as its third argument. Dependencies of scope `invocation` live until the handler has settled and the
   * connection has ended. A failing factory refuses the upgrade with an HTTP reply.
   */
  readonly inject?: Inject;
  /** Dependencies per message, passed to the handlers of `socket.each` and `socket.eachJson`. Dependencies of scope `invocation` live for one message. */
  readonly injectEach?: Each;
  /** Schema of `receiveJson` and `eachJson`; a mismatch closes the connection with 1008. */
  readonly message?: Schema;
  /** Limits and options of this route; a missing field has the value of `enableWebSocket`. Mistakes are reported at start as CORE_BAD_CONFIG. */
  readonly limits?: ConfigInput<WebSocketLimits>;
  /** Handles requests without an upgrade, for a path that also serves HTTP. @default a 426 */
  readonly http?: (request: HttpRequest) => unknown;
  /** Supported sub-protocols; the first supported protocol of the client's offers is used. @default none */
  readonly protocols?: readonly string[];
}

/** Serves one connection. Returning closes it with 1000, an error with 1011, an HttpError 401 or 403 with 1008, and `WebSocketClose` with its own code. */
export type WebSocketHandler<
  Socket,
  Request extends HttpRequest<unknown, NoInput, object>,
  Dependencies extends readonly unknown[] = readonly [],
> = (socket: Socket, request: Request, ...dependencies: Dependencies) => unknown;

/** Any handler, as stored by a route. */
export type AnyHandler = WebSocketHandler<
  ServerSocket<unknown, readonly [dependencies: unknown]>,
  HttpRequest<unknown, NoInput, object>,
  readonly unknown[]
>;

/** Any options, as stored by a route. */
export type AnyOptions = WebSocketOptions<
  StandardSchema | undefined,
  Injections | undefined,
  Injections | undefined
>;
