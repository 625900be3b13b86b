import type { Guard, HttpRequest, Injections, NoInput, StandardSchema } from "@framework/core";
import type { ServerSocket } from "./server-socket.ts";

/** Options of a WebSocket route. */
export interface WebSocketOptions<
  Schema extends StandardSchema | undefined = undefined,
  Inject extends Injections | undefined = undefined,
  Each extends Injections | undefined = undefined,
> {
  /** Must pass before the upgrade; a denial is answered as HTTP. */
  readonly guards?: readonly Guard<HttpRequest>[];
  /**
   * Dependencies, handed to the handler as its third argument. Those of the scope `invocation` live until the handler has settled and the connection
   * has ended. A factory that fails is answered as HTTP, before the upgrade.
   */
  readonly inject?: Inject;
  /** Dependencies of each message, handed to the handlers of `socket.each` and `socket.eachJson`. Those of the scope `invocation` live for one message. */
  readonly injectEach?: Each;
  /** What `receiveJson` gives; anything else closes with 1008. */
  readonly message?: Schema;
  /** Sub-protocols the route speaks; the first that the client offers too is agreed on. */
  readonly protocols?: readonly string[];
}

/** Serves one connection; its return closes with 1000, a throw with 1011, `WebSocketClose` with its own code. */
export type WebSocketHandler<
  Socket,
  Request extends HttpRequest<unknown, NoInput, object>,
  Dependencies extends readonly unknown[] = readonly [],
> = (socket: Socket, request: Request, ...dependencies: Dependencies) => unknown;

/** Any handler, as a route keeps it. */
export type AnyHandler = WebSocketHandler<
  ServerSocket<unknown, readonly [dependencies: unknown]>,
  HttpRequest<unknown, NoInput, object>,
  readonly unknown[]
>;

/** Any options, as a route keeps them. */
export type AnyOptions = WebSocketOptions<
  StandardSchema | undefined,
  Injections | undefined,
  Injections | undefined
>;
