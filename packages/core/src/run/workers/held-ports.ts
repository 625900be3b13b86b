import { type AddressInfo, createServer, type Server } from "node:net";
import type { ListenAddress } from "../../exchange/transport.ts";
import type { ListenerAddress, RegisteredListener } from "../../lifecycle/listener.ts";
import { toListenError } from "../start/start-error.ts";
import type { Dispatcher } from "./dispatcher.ts";

/** The ports that the primary process holds for all workers. */
export interface HeldPorts {
  /** Port of the service itself. */
  readonly port: number;
  readonly listeners: readonly ListenerAddress[];
  /** Stops accepting. */
  close(): void;
}

/** Binds the port of the service and those of features; their sockets go to the dispatcher. @throws CORE_PORT_IN_USE and the like */
export const holdPorts = async (
  { host, port }: ListenAddress,
  registered: readonly RegisteredListener[],
  dispatcher: Dispatcher,
): Promise<HeldPorts> => {
  const servers: Server[] = [];
  const close = (): void => {
    for (const server of servers) server.close();
  };
  const hold = (at: ListenAddress, listener?: RegisteredListener): Promise<number> => {
    const name = listener?.options.name;
    const server = createServer({ pauseOnConnect: true }, (socket) => dispatcher.accept(socket, name));
    servers.push(server);
    return bind(server, at, listener);
  };
  try {
    const own = await hold({ host, port });
    const listeners: ListenerAddress[] = [];
    for (const listener of registered) {
      const { name, host: at = host, port: wanted } = listener.options;
      const address = { host: at, port: await hold({ host: at, port: wanted }, listener) };
      listener.bound(address);
      listeners.push({ name, ...address });
    }
    return { port: own, listeners, close };
  } catch (error) {
    close();
    throw error;
  }
};

const bind = (
  server: Server,
  { host, port }: ListenAddress,
  listener?: RegisteredListener,
): Promise<number> =>
  new Promise((resolve, reject) => {
    server.once("error", (error) => reject(toListenError(error, host, port, listener)));
    server.listen({ host, port }, () => {
      server.removeAllListeners("error");
      server.on("error", () => {}); // a failed accept, for example without free descriptors, loses that connection only
      resolve((server.address() as AddressInfo).port);
    });
  });
