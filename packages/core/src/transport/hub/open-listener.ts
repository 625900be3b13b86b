import { isClusterWorker } from "../../runtime/cluster-worker.ts";
import type { AddressInfo, Listener, Socket } from "../../exchange/socket.ts";
import type { ListenAddress } from "../../exchange/transport.ts";

/** An open listener and its address. */
export interface OpenListener {
  readonly listener: Listener;
  readonly address: ListenAddress;
}

/**
 * Opens a TCP listener and hands each connection to `accept`.
 *
 * @throws the system's error, such as EADDRINUSE
 */
export const openListener = (
  { host, port }: ListenAddress,
  accept: (socket: Socket) => void,
): Promise<OpenListener> => {
  const listener = process.getBuiltinModule("node:net").createServer(accept);
  return new Promise((resolve, reject) => {
    listener.once("error", reject);
    listener.once("listening", () => {
      listener.off("error", reject);
      const bound = listener.address() as AddressInfo;
      resolve({ listener, address: { host: bound.address, port: bound.port } });
    });
    listener.listen(boundSocket({ host, port }) ?? { host, port });
  });
};

/**
 * Returns a bound socket for an IPv4 address, which saves Node's DNS lookup. `undefined` before Node 26.4, and in a worker of
 * `node:cluster`, where the primary binds.
 */
const boundSocket = ({ host, port }: ListenAddress) => {
  const { BoundSocket, isIPv4 } = process.getBuiltinModule("node:net");
  return (BoundSocket as unknown) !== undefined && isIPv4(host) && !isClusterWorker()
    ? new BoundSocket({ host, port })
    : undefined;
};
