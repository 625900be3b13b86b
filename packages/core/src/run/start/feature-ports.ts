import type { CloseResult, Serve, Transport, TransportOptions } from "../../exchange/transport.ts";
import type { ListenerAddress, RegisteredListener } from "../../lifecycle/listener.ts";
import type { Runnable } from "../../lifecycle/runnable.ts";
import { isPromise } from "../../middleware/middleware.ts";
import { systemClock } from "../../runtime/clock.ts";
import { SocketTransport } from "../../transport/hub/socket-transport.ts";
import type { Drainable } from "../stop/shutdown.ts";
import { toListenError } from "./start-error.ts";

/** The transport of a feature's port. */
export type PortTransport = Pick<
  Transport,
  "accept" | "listen" | "drain" | "close" | "connections" | "accepted" | "shed"
>;

/** A feature's port in a serving process. */
export interface FeaturePort {
  readonly listener: RegisteredListener;
  readonly transport: PortTransport;
}

/** Creates the transport of a feature's port, with `createHttp` and `options` of the service. */
export const createFeaturePort = (
  listener: RegisteredListener,
  app: Runnable,
  createHttp: (options: TransportOptions) => Transport,
  options: TransportOptions,
): FeaturePort => {
  const { options: wanted } = listener;
  if ("serve" in wanted) {
    const { serve, tls } = wanted;
    const preparing: Serve = (source) => {
      const reply = serve.call(wanted, source);
      return isPromise(reply) ? reply.then(listener.prepareReply) : listener.prepareReply(reply);
    };
    const reject: TransportOptions["reject"] = (error) => app.reject(error, null);
    return {
      listener,
      transport: createHttp({ ...options, serve: preparing, reject, tls }),
    };
  }
  const { log, limits, clock = systemClock } = options;
  return {
    listener,
    transport: new SocketTransport(wanted, { maxConnections: limits.maxConnections, log, clock }),
  };
};

/** Opens the ports of features in this process. @throws CORE_PORT_IN_USE and other listen errors, which name the feature */
export const listenOnPorts = async (
  ports: readonly FeaturePort[],
  defaultHost: string,
): Promise<readonly ListenerAddress[]> => {
  const addresses: ListenerAddress[] = [];
  for (const { listener, transport } of ports) {
    const { name, host = defaultHost, port } = listener.options;
    try {
      const address = await transport.listen({ host, port });
      addresses.push({ name, host, port: address.port });
      listener.setAddress({ host, port: address.port });
    } catch (error) {
      throw toListenError(error, host, port, listener);
    }
  }
  return addresses;
};

/** Joins several transports, which then drain and close together. */
export const joinTransports = (
  transports: readonly Pick<PortTransport, "drain" | "close" | "accepted">[],
): Drainable => ({
  get accepted() {
    return transports.reduce((sum, { accepted }) => sum + accepted, 0);
  },
  drain() {
    for (const transport of transports) transport.drain();
  },
  async close(deadlineMs): Promise<CloseResult> {
    const closed = await Promise.all(transports.map((transport) => transport.close(deadlineMs)));
    return { cut: closed.reduce((sum, { cut }) => sum + cut, 0) };
  },
});
