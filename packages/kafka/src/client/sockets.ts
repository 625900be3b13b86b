import { connect as connectPlain, isIP, Socket } from "node:net";
import { connect as connectTls } from "node:tls";
import type { ISocketFactory } from "kafkajs";

const KEEP_ALIVE_MS = 60_000;

/** The connections of one client. Closing them ensures that kafkajs sends nothing more, not even in retries. */
export class Sockets {
  private readonly open = new Set<Socket>();
  private isClosed = false;

  readonly create: ISocketFactory = ({ host, port, ssl, onConnect }) => {
    const socket = this.isClosed ? new Socket() : connect({ host, port, ssl, onConnect });
    this.open.add(socket);
    socket.once("close", () => this.open.delete(socket));
    if (this.isClosed) socket.destroy(closedError());
    else socket.setKeepAlive(true, KEEP_ALIVE_MS);
    return socket;
  };

  /** Destroys all connections, including later ones, with an error: kafkajs ignores the event `close` and would wait for its timeout. */
  close(): void {
    this.isClosed = true;
    for (const socket of this.open) socket.destroy(closedError());
  }
}

/** Returns an address for kafkajs, which splits it at the first colon: colons of an IPv6 address are encoded, and decoded by `connect`. */
export const driverAddress = (address: string): string =>
  address.replace(/^\[(.+)\]/, (_all, host: string) => host.replaceAll(":", "%3A"));

const closedError = (): Error => new Error("the client was closed");

const connect: ISocketFactory = ({ host: given, port, ssl, onConnect }) => {
  const host = given.replaceAll("%3A", ":");
  return (ssl as unknown) === undefined || (ssl as unknown) === null
    ? connectPlain({ host, port }, onConnect)
    : connectTls({ host, port, ...(isIP(host) === 0 && { servername: host }), ...ssl }, onConnect);
};
