import { lookup } from "node:dns/promises";
import * as net from "node:net";
import type { ListenAddress } from "../../exchange/transport.ts";
import type { ListenerAddress, RegisteredListener } from "../../lifecycle/listener.ts";
import { toListenError } from "../start/start-error.ts";
import type { Dispatcher } from "./dispatcher.ts";
import type { HeldPort, HoldPort } from "./hold-port.ts";
import { isInUse, orphansAt } from "./orphans.ts";

/** The ports that the primary process holds for all workers. */
export interface HeldPorts {
  /** Port of the service itself. */
  readonly port: number;
  readonly listeners: readonly ListenerAddress[];
  /** Descriptors for workers that accept: the service's own port first, then `listeners`. Empty if this process accepts. */
  readonly descriptors: readonly number[];
  /** Connections that this process has accepted so far. */
  readonly accepted: number;
  /** Stops accepting. */
  close(): void;
}

/** Binds the ports of the service and of features. @throws CORE_PORT_IN_USE and other listen errors */
export const holdPorts = async (
  own: ListenAddress,
  registered: readonly RegisteredListener[],
  hold: HoldPort,
): Promise<HeldPorts> => {
  const held: HeldPort[] = [];
  const close = (): void => {
    for (const port of held) port.close();
  };
  const open = async (at: ListenAddress, listener?: RegisteredListener): Promise<number> => {
    try {
      held.push(await hold(at, listener?.options.name));
    } catch (error) {
      throw toListenError(error, at.host, at.port, listener, isInUse(error) ? orphansAt(at.port) : []);
    }
    return held.at(-1)?.port ?? at.port;
  };
  try {
    const port = await open(own);
    const listeners: ListenerAddress[] = [];
    for (const listener of registered) {
      const { name, host = own.host, port: wanted } = listener.options;
      const address = { host, port: await open({ host, port: wanted }, listener) };
      listener.setAddress(address);
      listeners.push({ name, ...address });
    }
    return {
      port,
      listeners,
      descriptors: held.flatMap(({ descriptor }) => descriptor ?? []),
      get accepted() {
        return held.reduce((sum, each) => sum + each.accepted(), 0);
      },
      close,
    };
  } catch (error) {
    close();
    throw error;
  }
};

/**
 * Binds a port on which only the workers listen, with one kernel queue. This process holds the socket while workers exit and others start, so no connection is
 * lost.
 */
export const bindPort: HoldPort = async ({ host, port }) => {
  const { address } = await lookup(host);
  const bound = new net.BoundSocket({ host: address, port });
  return {
    port: (bound.address() as net.AddressInfo).port,
    descriptor: bound.fd(),
    accepted: () => 0,
    close: () => bound[Symbol.dispose](),
  };
};

/** Accepts in this process and passes the sockets to the dispatcher. */
export const acceptOnPort =
  (dispatcher: Dispatcher): HoldPort =>
  ({ host, port }, name) =>
    new Promise((resolve, reject) => {
      let accepted = 0;
      const server = net.createServer({ pauseOnConnect: true }, (socket) => {
        accepted++;
        dispatcher.accept(socket, name);
      });
      server.once("error", reject);
      server.listen({ host, port }, () => {
        server.off("error", reject);
        server.on("error", () => {}); // a failed accept, for example without a free descriptor, affects only that connection
        const { port: held } = server.address() as net.AddressInfo;
        resolve({ port: held, accepted: () => accepted, close: () => server.close() });
      });
    });
