import {
  type AppOf,
  type ConfigInput,
  type Host,
  type HostInsight,
  isPlainObject,
  type PrefixOf,
  type RouteFeature,
} from "@framework/core/feature";
import { Endpoint } from "./endpoint.ts";
import type { RegisterWebSocket } from "./register-websocket.ts";
import { optionsNotObject, optionProblems, timeoutProblems } from "./route-problems.ts";
import { Rooms, type Room } from "./rooms.ts";
import { Sockets } from "./sockets.ts";
import { WebSocketConfig, WebSocketLimits } from "./websocket-config.ts";
import type { AnyHandler, AnyOptions } from "./websocket-handler.ts";

/** The methods that the feature adds to an app, and to blueprints composed with it. */
export interface WebSocketRoutes {
  /** Serves WebSocket connections (RFC 6455) at a path. */
  readonly websocket: RegisterWebSocket<PrefixOf<this>, AppOf<this>>;
}

/** The methods that the feature adds to an app. */
export interface WebSocketMethods extends WebSocketRoutes {
  /** Overrides default limits and options. @throws CORE_BAD_CONFIG at start, together with all other configuration errors */
  enableWebSocket(config?: ConfigInput<WebSocketConfig>): this;
  /** Returns the room with this name. @throws WEBSOCKET_BAD_ROOM */
  room(name: string): Room;
}

/**
 * Adds WebSocket routes to an app: typed parameters and messages, guards before the upgrade, bounded queues, rooms across all workers.
 *
 * @example
 * const app = new (App.with(websocket))();
 * app.websocket("/echo", async (socket) => { for await (const message of socket) await socket.send(message); });
 */
export const websocket: RouteFeature<WebSocketMethods, WebSocketRoutes> = {
  name: "websocket",
  routeMethods: ["websocket"],
  install: (host) => {
    let hasRoutes = false;
    const rooms = new Rooms(() => hasRoutes);
    const sockets = new Sockets(rooms, host.insight);
    let checksAppTimeout = false;
    return {
      enableWebSocket(config) {
        sockets.config = host.configure(WebSocketConfig, config);
        return this;
      },
      websocket(path: string, ...rest: readonly unknown[]): void {
        if (!hasRoutes) registerLifecycle(host, sockets);
        hasRoutes = true;
        const given = rest.length < 2 ? {} : rest[0];
        const options: AnyOptions = isPlainObject(given) ? given : {};
        const handler = rest.at(-1) as AnyHandler;
        if (options !== given) host.problem({ code: "CORE_BAD_CONFIG", message: optionsNotObject(path) });
        const endpoint = new Endpoint({ sockets, state: host.state, options, handler });
        const { guards = [], inject, injectEach, limits } = options;
        for (const message of optionProblems(path, options, handler))
          host.problem({ code: "CORE_BAD_CONFIG", message });
        if (limits !== undefined) host.configure(WebSocketLimits, limits);
        if (limits?.timeoutSecs !== undefined)
          host.check(() => timeoutProblems(`WebSocket route ${path}`, endpoint.config));
        else if (!checksAppTimeout) {
          checksAppTimeout = true; // reported once for all routes
          host.check(() => timeoutProblems("WebSocketConfig", sockets.config));
        }
        if (injectEach !== undefined) host.state.inject(`messages of ${path}`, injectEach);
        host.http.route(
          "GET",
          path,
          (request, ...dependencies): unknown => endpoint.respond(request, dependencies),
          inject === undefined ? { guards } : { guards, inject },
        );
      },
      room: (name) => rooms.room(name),
    };
  },
};

const registerLifecycle = (host: Host, sockets: Sockets): void => {
  let disconnect = (): void => {};
  host.life.onStart({
    name: "websocket",
    run: async (settings) => {
      disconnect = await sockets.start(host.state.shared.values, settings);
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
  count("connections", "Opened WebSocket connections.", () => traffic.opened);
  count("messages_received", "Messages from WebSocket clients.", () => traffic.received);
  count("messages_sent", "Messages to WebSocket clients.", () => traffic.sent);
  count("overrun", "WebSocket connections closed because the client read too slowly.", () => traffic.overrun);
  count("timed_out", "WebSocket connections closed because the client was inactive.", () => traffic.timedOut);
  host.insight.expose("websocket", () => ({ connections: sockets.size }));
};
