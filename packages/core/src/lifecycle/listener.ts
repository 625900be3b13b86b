import { describeValue } from "../config/wrong-value.ts";
import type { Reply } from "../exchange/reply.ts";
import type { RequestSource } from "../exchange/request-source.ts";
import type { Socket } from "../exchange/socket.ts";
import type { CloseResult, ListenAddress, TransportTls } from "../exchange/transport.ts";
import type { Environment } from "./app-settings.ts";
import type { Awaitable } from "../middleware/middleware.ts";

/** Maximum number of ports that the features of one app own. */
export const MAX_LISTENERS = 16;

/** Name and address of a feature's listener. */
interface Port {
  /** Name in the banner, the `listening` line and errors: lower-case words with dashes, unique in the app. */
  readonly name: string;
  /** Address or host name. @default the host of the service */
  readonly host?: string | undefined;
  /** 0 lets the system choose. */
  readonly port: number;
  /** The only environment in which the port opens. @default both */
  readonly env?: Environment | undefined;
}

/** A port on which a feature serves its own protocol. */
export interface SocketListener extends Port {
  /** Takes over a new connection, from which nothing was read. If `accept` throws, the connection is closed. */
  accept(socket: Socket): void;
  /** Called when the service stops accepting: closes idle connections as the protocol prescribes. */
  drain?(): void;
  /**
   * Drains, resolves when the last connection is closed, and reports the work that it aborted at the deadline. Connections still open at the deadline are cut
   * and counted.
   */
  close(deadlineMs: number): Promise<CloseResult>;
}

/** A port on which a feature serves HTTP, with the transport, limits and timeouts of the service. */
export interface HttpListener extends Port {
  /** Returns the reply to one request, for example a `Response`. An error becomes a plain 500. */
  serve(source: RequestSource): Awaitable<Reply>;
  /** Enables HTTPS on the port. */
  readonly tls?: TransportTls | undefined;
}

/** The registration of a feature's port. */
export type ListenerOptions = SocketListener | HttpListener;

/** A port of a feature. */
export interface FeatureListener {
  /** Its address; `null` before the listening phase, and without `run`. */
  readonly address: ListenAddress | null;
}

/** An open port of a feature. */
export interface ListenerAddress extends ListenAddress {
  readonly name: string;
}

/** A port of a feature as `run` opens it. */
export interface RegisteredListener {
  readonly options: ListenerOptions;
  /** Name of the feature, for errors. */
  readonly feature: string;
  /** Publishes the address to the feature. */
  setAddress(address: ListenAddress): void;
  /** Makes an endless body end when the app drains. Returns the reply. */
  prepareReply(reply: Reply): Reply;
}

/** Returns the listeners that open in an environment. */
export const listenersIn = (
  env: Environment,
  registered: readonly RegisteredListener[],
): readonly RegisteredListener[] =>
  registered.filter(({ options }) => options.env === undefined || options.env === env);

/** Returns the mistake in a listener; `null` for a valid listener. */
export const listenerProblem = (
  { name, host, port, env }: ListenerOptions,
  present: readonly RegisteredListener[],
): string | null => {
  if (typeof name !== "string" || !/^[a-z][a-z0-9]*(?:-[a-z0-9]+)*$/.test(name) || name.length > 40)
    return `a listener's name must be lower-case words with dashes, at most 40 characters, not ${describeValue(name)}`;
  if (present.some(({ options }) => options.name === name)) return `two listeners are named ${name}`;
  if (!Number.isInteger(port) || port < 0 || port > 65_535)
    return `the port of the listener ${name} must be an integer from 0 to 65535, not ${describeValue(port)}`;
  if (host !== undefined && (typeof host !== "string" || host === ""))
    return `the host of the listener ${name} must be an address or host name, not ${describeValue(host)}`;
  if (env !== undefined && env !== "development" && env !== "production")
    return `the env of the listener ${name} must be development or production, not ${describeValue(env)}`;
  return present.length < MAX_LISTENERS ? null : `an app has at most ${MAX_LISTENERS} listeners of features`;
};
