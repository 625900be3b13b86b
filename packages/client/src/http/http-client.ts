import { isPlainObject, unknownFields } from "@framework/core/feature";
import type { CallInit } from "./call-init.ts";
import { ClientError } from "./client-error.ts";
import { exchange } from "./exchange.ts";
import { checkHttpOptions, type HttpClientOptions } from "./http-options.ts";
import type { Send } from "./outgoing-request.ts";
import { headersOf } from "./context-fields.ts";
import { sendWith } from "./send-with-fetch.ts";
import { socketFetch } from "./socket-fetch.ts";
import type { StreamRule } from "./stream-rule.ts";

/** A client of one service. */
export interface HttpClient {
  /**
   * Sends a request and returns the reply, also for an error status.
   *
   * @throws ClientError if there is no reply, or the reason of the signal that aborted the call
   */
  request(path: string, init?: CallInit): Promise<Response>;
  /** Aborts all calls and closes the connections. */
  close(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

/**
 * Creates a client of another HTTP service: keep-alive connections, middleware, and limits of time, size, redirects, hosts and calls.
 *
 * @example
 * const stock = httpClient({ baseUrl: "https://stock.example/v1", use: [retryRequests(), breaker(), timeout({ timeoutMs: 2000 })] });
 * const reply = await stock.request("/items/1", { within: request });
 * @throws ConfigurationError CORE_BAD_CONFIG with every mistake in the options
 */
export const httpClient = (given: HttpClientOptions): HttpClient => {
  const { base, options } = checkHttpOptions(given);
  const sockets = options.fetch === undefined ? socketFetch(options) : null;
  const attempt = exchange(sockets?.send ?? sendWith(options), options);
  const closed = new AbortController();
  const chain = options.use.reduceRight<Send>(
    (next, middleware) => (input) => middleware(input, next),
    attempt,
  );
  const send = async (path: string, init: CallInit): Promise<Response> => {
    if (closed.signal.aborted) throw closed.signal.reason;
    const url = targetOf(base, path);
    const aborted = new AbortController();
    const signals = [init.signal, init.within?.signal, closed.signal, aborted.signal];
    return chain({
      method: (init.method ?? "GET").toUpperCase(),
      url,
      headers: headersOf(url, base, init, options),
      body: init.json === undefined ? (init.body ?? null) : jsonText(init.json),
      signal: AbortSignal.any(signals.filter((signal) => signal !== undefined)),
      maxReplyBytes: init.maxReplyBytes ?? options.maxReplyBytes,
      maxStreamBytes: init.maxReplyBytes ?? Infinity,
      isStream: ruleOf(init.stream ?? false),
      abort: (reason) => aborted.abort(reason),
    });
  };
  const request = async (path: string, init: CallInit = {}): Promise<Response> => {
    try {
      checkCall(path, init);
      if (init.json !== undefined) cancelSource(init.body, "the call sends json instead");
      return await send(path, init);
    } catch (error) {
      cancelSource(init.body, error);
      throw error;
    }
  };
  const close = async (): Promise<void> => {
    closed.abort(new ClientError("CLIENT_CLOSED", "the client is closed"));
    await sockets?.close();
  };
  return { request, close, [Symbol.asyncDispose]: close };
};

/** Cancels a stream body that was not sent; once sending has started, the sender ends it. */
export const cancelSource = (body: unknown, reason: unknown): void => {
  if (body instanceof ReadableStream && !body.locked) body.cancel(reason).catch(() => {}); // the caller gets the first error
};

const initNames = Object.keys({
  method: 0,
  headers: 0,
  body: 0,
  json: 0,
  signal: 0,
  within: 0,
  idempotencyKey: 0,
  stream: 0,
  maxReplyBytes: 0,
} satisfies Record<keyof CallInit, 0>);

const checkCall = (path: string, init: CallInit): void => {
  const [unknown] = unknownFields("the options object of request", init, initNames);
  if (unknown !== undefined) throw new ClientError("CLIENT_BAD_PARAMETER", unknown);
  if (typeof path !== "string")
    throw new ClientError("CLIENT_BAD_PARAMETER", "the path of a call must be a string");
  const { method = "GET", maxReplyBytes = 0, body, signal, within } = init;
  if (isPlainObject(body) || Array.isArray(body))
    throw new ClientError("CLIENT_BAD_PARAMETER", "body cannot be an object or a list; pass it as json");
  if (typeof method !== "string" || !METHOD.test(method))
    throw new ClientError("CLIENT_BAD_PARAMETER", `${JSON.stringify(String(method))} is not a method`);
  if (![signal, within?.signal].every((each) => each === undefined || each instanceof AbortSignal))
    throw new ClientError("CLIENT_BAD_PARAMETER", "signal must be an AbortSignal");
  if (typeof maxReplyBytes !== "number" || !(maxReplyBytes >= 0))
    throw new ClientError("CLIENT_BAD_PARAMETER", "maxReplyBytes must be a number of at least 0");
};

/** Matches a token (RFC 9110 5.6.2). */
const METHOD = /^[\w!#$%&'*+.^`|~-]+$/;

/** @throws ClientError CLIENT_BAD_PARAMETER for a value that JSON cannot represent, such as a bigint or a function */
const jsonText = (value: unknown): string => {
  let text: string | undefined; // JSON.stringify returns undefined for a function
  let cause: unknown;
  try {
    text = JSON.stringify(value);
  } catch (error) {
    cause = error;
  }
  if (text !== undefined) return text;
  throw new ClientError("CLIENT_BAD_PARAMETER", "the option json is not JSON", { cause });
};

const ruleOf = (stream: boolean | StreamRule): StreamRule =>
  typeof stream === "function" ? stream : () => stream;

/** Paths are appended to the base URL as strings, so a path such as `//host` stays a path. */
const targetOf = (base: URL, path: string): URL => {
  const text = /^https?:\/\//i.test(path) ? path : base.origin + base.pathname.replace(/\/$/, "") + path;
  if (URL.canParse(text) && (text === path || path.startsWith("/") || path === "" || path.startsWith("?")))
    return new URL(text);
  throw new ClientError(
    "CLIENT_BAD_URL",
    `${JSON.stringify(path.slice(0, 100))} is not a path that starts with "/"`,
  );
};
