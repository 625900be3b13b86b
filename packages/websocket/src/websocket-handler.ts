import type { Guard, HttpRequest, Injections, NoInput, StandardSchema } from "@framework/core";
import type { ServerSocket } from "./server-socket.ts";

/** Options of a WebSocket route. */
export interface WebSocketOptions<
  Schema extends StandardSchema | undefined = undefined,
  Inject extends Injections | undefined = undefined,
> {
  /** Must pass before the upgrade; a denial is answered as HTTP. */
  readonly guards?: readonly Guard[];
  /**
   * Dependencies, handed to the handler as its third argument. Those of the scope `request` live until the handler has settled and the connection has
   * ended. A factory that fails is answered as HTTP, before the upgrade.
   */
  readonly inject?: Inject;
  /** What `receiveJson` gives; anything else closes with 1008. */
  readonly message?: Schema;
  /** Sub-protocols the route speaks; the first that the client offers too is agreed on. */
  readonly protocols?: readonly string[];
}

/** Serves one connection; its return closes with 1000, a throw with 1011, `WebSocketClose` with its own code. */
export type WebSocketHandler<
  Params,
  A extends object,
  T,
  Dependencies extends readonly unknown[] = readonly [],
> = (
  socket: ServerSocket<T>,
  request: HttpRequest<Params, NoInput, A>,
  ...dependencies: Dependencies
) => unknown;

/** Any handler, as a route keeps it. */
export type AnyHandler = WebSocketHandler<unknown, object, unknown, readonly unknown[]>;

/** Any options, as a route keeps them. */
export type AnyOptions = WebSocketOptions<StandardSchema | undefined, Injections | undefined>;
