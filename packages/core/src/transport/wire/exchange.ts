import { BodyStream, type Payload } from "../../exchange/payload.ts";
import type { Reply } from "../../exchange/reply.ts";
import type { ExchangeEnd } from "../../exchange/request-source.ts";
import type { TransportOptions } from "../../exchange/transport.ts";

/** What an exchange of any transport needs of the connection that it runs on. */
export interface ExchangeHost {
  readonly options: TransportOptions;
  readonly remoteAddress: string | null;
}

/** Told once of an exchange's end. */
export type EndListener = (end: ExchangeEnd) => void;

/**
 * A request and its answer, whoever parsed the one and writes the other; how it ends, who is told, and what is logged is in the functions
 * of this file.
 *
 * Not a base class: V8 makes an object of a derived class at several times the price of another one, and here is one for every request.
 */
export interface Exchange {
  readonly method: string;
  readonly target: string;
  readonly connection: ExchangeHost;
  /** How it ended, `null` while it is under way. */
  end: ExchangeEnd | null;
  listeners: EndListener[] | null;
}

export const schemeOf = ({ connection }: Exchange): "http" | "https" =>
  connection.options.tls === undefined ? "http" : "https";

/** Calls a listener at the end of an exchange, or at once behind it. */
export const listenForEnd = (exchange: Exchange, listener: EndListener): void => {
  if (exchange.end === null) (exchange.listeners ??= []).push(listener);
  else tell(exchange, listener, exchange.end);
};

/** Tells everybody who waits for the end. */
export const notifyEnd = (exchange: Exchange, end: ExchangeEnd): void => {
  const { listeners } = exchange;
  if (listeners === null) return;
  exchange.listeners = null;
  for (const listener of listeners) tell(exchange, listener, end);
};

const tell = ({ connection }: Exchange, listener: EndListener, end: ExchangeEnd): void => {
  try {
    listener(end);
  } catch (error) {
    connection.options.log.error("a listener for the end of an exchange threw", { error });
  }
};

/** The reply cannot be written, or there is none. */
export const logBroken = ({ method, target, connection }: Exchange, error: unknown): void =>
  connection.options.log.error("a reply could not be written", { method, target, error });

/** A streamed reply failed on its way: its connection must be cut. */
export const logFailed = ({ method, target, connection }: Exchange, error: unknown): void =>
  connection.options.log.error("a streamed reply broke off", { method, target, error });

/** A body that was given up failed; nobody waits for it. */
export const logLate = ({ method, target, connection }: Exchange, error: unknown): void =>
  connection.options.log.warn("a streamed reply failed while it was given up", { method, target, error });

/** Lets a streamed body go that nobody will send. */
export const discardReply = (exchange: Exchange, reply: Reply): void => {
  let payload: Payload = null;
  try {
    ({ payload } = reply);
  } catch {
    return; // a reply without a readable payload was refused and logged when it was written
  }
  if (payload instanceof BodyStream) payload.cancel().catch((error: unknown) => logLate(exchange, error));
};
