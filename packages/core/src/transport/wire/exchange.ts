import type { HttpError } from "../../errors/http-error.ts";
import { type DescribedRequest, exchangeFields } from "../../exchange/request-fields.ts";
import { BodyStream, type Payload } from "../../exchange/payload.ts";
import type { Reply } from "../../exchange/reply.ts";
import type { ExchangeEnd, RequestSource } from "../../exchange/request-source.ts";
import type { TransportOptions } from "../../exchange/transport.ts";
import type { Logger } from "../../log/logger.ts";
import { deliver, type Receiver } from "../../middleware/lazy-promise.ts";
import { isPromisedOutput } from "../../middleware/middleware.ts";

/** A connection's interface to its exchanges, on any transport. */
export interface ExchangeHost {
  /** Options of its transport. */
  readonly options: TransportOptions;
  /** Address of the client; `null` if unknown. */
  readonly remoteAddress: string | null;
}

/** The members of an exchange that log lines describe. */
type LoggedExchange = Pick<Exchange, "described" | "method" | "target">;

/** Called once, at the end of an exchange. */
export type EndListener = (end: ExchangeEnd) => void;

/**
 * A request and its reply on any transport. The functions of this file end it, notify its listeners and write its log lines.
 */
export interface Exchange {
  /** Method of the request. */
  readonly method: string;
  /** Target of the request, as sent. */
  readonly target: string;
  /** The request for log lines, once the app has created it. */
  described?: DescribedRequest | null;
  /** The connection of the request. */
  readonly connection: ExchangeHost;
  /** Its end; `null` while it is in progress. */
  end: ExchangeEnd | null;
  /** Listeners for its end; `null` if there are none, and after the end. */
  listeners: EndListener[] | null;
}

/** An exchange that receives the app's reply or error directly. */
export interface ReceivingExchange extends Exchange, RequestSource, Receiver<Reply> {
  /** The error that refuses the request; `null` for a valid one. */
  readonly refusal: HttpError | null;
  /** Writes the reply. */
  succeed(reply: Reply): void;
  /** Handles an error that the app threw although it must return a reply. */
  fail(error: unknown): void;
}

/** Passes a request to the app, or refuses it. */
export const passToApp = (exchange: ReceivingExchange): void => {
  const { refusal, connection } = exchange;
  try {
    const { serve, reject } = connection.options;
    const reply = refusal === null ? serve(exchange) : reject(refusal, exchange);
    if (!isPromisedOutput(reply)) return exchange.succeed(reply);
    deliver(reply, exchange);
  } catch (error) {
    exchange.fail(error);
  }
};

export const schemeOf = ({ connection }: Exchange): "http" | "https" =>
  connection.options.tls === undefined ? "http" : "https";

/** Calls a listener at the end of an exchange, or at once if it has ended. */
export const listenForEnd = (exchange: Exchange, listener: EndListener): void => {
  if (exchange.end !== null) notify(listener, exchange.end, exchange, exchange.connection.options.log);
  else if (exchange.listeners === null) exchange.listeners = [listener]; // a push would allocate room for 16 more
  else exchange.listeners.push(listener);
};

/** Calls all listeners for the end. */
export const notifyEnd = (exchange: Exchange, end: ExchangeEnd): void => {
  const { listeners } = exchange;
  if (listeners === null) return;
  exchange.listeners = null;
  for (const listener of listeners) notify(listener, end, exchange, exchange.connection.options.log);
};

/** Calls a listener; its error is logged, so that the other listeners run. */
export const notify = (
  listener: EndListener,
  end: ExchangeEnd,
  exchange: LoggedExchange,
  log: Pick<Logger, "error">,
): void => {
  try {
    listener(end);
  } catch (error) {
    log.error("a listener for the end of an exchange threw", { error, ...exchangeFields(exchange) });
  }
};

/** Logs a reply that cannot be written, or that the app did not produce. */
export const logUnwritableReply = (exchange: Exchange, error: unknown): void =>
  exchange.connection.options.log.error("a reply could not be written", {
    ...exchangeFields(exchange),
    error,
  });

/** Logs a streamed reply that failed after its head was sent; its connection must be cut. */
export const logStreamFailure = (exchange: Exchange, error: unknown): void =>
  exchange.connection.options.log.error("a streamed reply failed", { ...exchangeFields(exchange), error });

/** Logs an error of a body after it was abandoned. */
export const logAbandonedBodyError = (exchange: Exchange, error: unknown): void =>
  exchange.connection.options.log.warn("a streamed reply failed after it was abandoned", {
    ...exchangeFields(exchange),
    error,
  });

/** Cancels a streamed body that will not be sent. */
export const discardReply = (exchange: Exchange, reply: Reply): void => {
  let payload: Payload = null;
  try {
    ({ payload } = reply);
  } catch {
    return; // the payload is a getter that threw; its error was logged when the reply was written
  }
  if (payload instanceof BodyStream)
    payload.cancel().catch((error: unknown) => logAbandonedBodyError(exchange, error));
};
