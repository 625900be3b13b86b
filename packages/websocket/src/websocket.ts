import type { ConfigInput, Feature, Host, HostInsight } from "@framework/core/feature";
import type {
  Guard,
  HttpRequest,
  InferOutput,
  Injected,
  Injections,
  NoInput,
  PathParams,
  Response,
  StandardSchema,
} from "@framework/core";
import { Endpoint } from "./endpoint.ts";
import { Rooms, type Room } from "./rooms.ts";
import type { ServerSocket } from "./server-socket.ts";
import { Sockets } from "./sockets.ts";
import { WebSocketConfig } from "./websocket-config.ts";

/** What a WebSocket route may be told. */
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

type ArgumentsOf<Inject> = Inject extends Injections
  ? readonly [dependencies: Injected<Inject>]
  : readonly [];

type MessageOf<Schema> = Schema extends StandardSchema ? InferOutput<Schema> : unknown;

/** What the feature adds to an app. */
export interface WebSocketMethods {
  /** Sets limits other than the defaults. @throws CORE_BAD_CONFIG at start, with all other mistakes */
  enableWebSocket(config?: ConfigInput<WebSocketConfig>): this;
  /** Serves WebSocket connections (RFC 6455) at a path. */
  websocket<const P extends string>(path: P, handler: WebSocketHandler<PathParams<P>, this, unknown>): void;
  websocket<
    const P extends string,
    Schema extends StandardSchema | undefined = undefined,
    Inject extends Injections | undefined = undefined,
  >(
    path: P,
    options: WebSocketOptions<Schema, Inject>,
    handler: WebSocketHandler<PathParams<P>, this, MessageOf<Schema>, ArgumentsOf<Inject>>,
  ): void;
  /** The room of that name. */
  room(name: string): Room;
}

/**
 * Adds WebSocket routes to an app: typed parameters and messages, guards before the upgrade, bounded queues, rooms over all workers.
 *
 * @example
 * const app = new (App.with(websocket))();
 * app.websocket("/echo", async (socket) => { for await (const message of socket) await socket.send(message); });
 */
export const websocket: Feature<WebSocketMethods> = {
  name: "websocket",
  install: (host) => {
    const rooms = new Rooms();
    const sockets = new Sockets(rooms);
    let begun = false;
    return {
      enableWebSocket(config) {
        sockets.config = host.configure(WebSocketConfig, config);
        return this;
      },
      websocket(path: string, ...rest: readonly unknown[]): void {
        if (!begun) begin(host, sockets);
        begun = true;
        const options = (rest.length === 1 ? {} : rest[0]) as AnyOptions;
        const endpoint = new Endpoint(sockets, options, rest.at(-1) as AnyHandler);
        const { guards = [], inject } = options;
        host.http.route(
          "GET",
          path,
          (request, ...dependencies): Response => endpoint.answer(request, dependencies),
          inject === undefined ? { guards } : { guards, inject },
          "other",
        );
      },
      room: (name) => rooms.room(name),
    };
  },
};

const begin = (host: Host, sockets: Sockets): void => {
  let disconnect = (): void => {};
  host.life.onStart({
    name: "websocket",
    run: async ({ log }) => {
      disconnect = await sockets.start(host.state.shared, log);
    },
  });
  host.life.onStop({ name: "websocket", run: () => disconnect() });
  const count = (name: string, help: string, read: () => number): HostInsight =>
    host.insight.metric({ name: `websocket_${name}_total`, help, type: "counter", read });
  host.insight.metric({
    name: "websocket_connections",
    help: "Open WebSocket connections.",
    type: "gauge",
    read: () => sockets.size,
  });
  const { traffic } = sockets;
  count("connections", "WebSocket connections that were opened.", () => traffic.opened);
  count("messages_received", "Messages from WebSocket clients.", () => traffic.received);
  count("messages_sent", "Messages to WebSocket clients.", () => traffic.sent);
  count(
    "overrun",
    "WebSocket connections closed because the client took messages too slowly.",
    () => traffic.overrun,
  );
  count(
    "timed_out",
    "WebSocket connections cut because nothing came from the client.",
    () => traffic.timedOut,
  );
  host.insight.expose("websocket", () => ({ connections: sockets.size }));
};
