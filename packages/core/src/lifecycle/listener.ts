import type { Reply } from "../exchange/reply.ts";
import type { RequestSource } from "../exchange/request-source.ts";
import type { Socket } from "../exchange/socket.ts";
import type { Closed, ListenAddress, TransportTls } from "../exchange/transport.ts";
import type { Awaitable } from "../middleware/middleware.ts";

/** Most ports that the features of one app own. */
export const MAX_LISTENERS = 16;

/** Where a feature listens. */
interface Port {
  /** Name in the banner, the `listening` line and errors: lower-case words with dashes, one listener each. */
  readonly name: string;
  /** Address or host name. @default the host of the service */
  readonly host?: string | undefined;
  /** 0 lets the system choose. */
  readonly port: number;
}

/** A port on which a feature speaks a protocol of its own. */
export interface SocketListener extends Port {
  /** Takes over a connection that is unread. A connection whose `accept` throws is closed. */
  accept(socket: Socket): void;
  /** The service stops accepting: say goodbye on idle connections. */
  drain?(): void;
  /** Drains, resolves when the last connection is gone, and reports what it had to break off at the deadline. Connections open after that are cut and counted. */
  close(deadlineMs: number): Promise<Closed>;
}

/** A port on which a feature serves HTTP, with the transport, limits and timeouts of the service. */
export interface HttpListener extends Port {
  /** Answers one request, with a `Response` for example. An error becomes a plain 500. */
  serve(source: RequestSource): Awaitable<Reply>;
  /** With it the port speaks HTTPS. */
  readonly tls?: TransportTls | undefined;
}

/** A port of a feature, as it is registered. */
export type ListenerOptions = SocketListener | HttpListener;

/** A port of a feature. */
export interface FeatureListener {
  /** Where it listens; `null` before the listening phase, and without `run`. */
  readonly address: ListenAddress | null;
}

/** A port of a feature that is open. */
export interface ListenerAddress extends ListenAddress {
  readonly name: string;
}

/** A port of a feature as `run` opens it. */
export interface RegisteredListener {
  readonly options: ListenerOptions;
  /** Name of the feature, for errors. */
  readonly feature: string;
  /** Makes the address known to the feature. */
  bound(address: ListenAddress): void;
}

/** The mistake in a listener; `null` when there is none. */
export const listenerProblem = (
  { name, port }: ListenerOptions,
  present: readonly RegisteredListener[],
): string | null => {
  if (!/^[a-z][a-z0-9]*(?:-[a-z0-9]+)*$/.test(name) || name.length > 40)
    return `a listener's name is lower-case words with dashes, at most 40 characters, not ${JSON.stringify(name)}`;
  if (present.some(({ options }) => options.name === name)) return `two listeners are named ${name}`;
  if (!Number.isInteger(port) || port < 0 || port > 65_535)
    return `the listener ${name} needs a port from 0 to 65535, not ${String(port)}`;
  return present.length < MAX_LISTENERS ? null : `an app has at most ${MAX_LISTENERS} listeners of features`;
};
