import type { Awaitable, Middleware } from "@framework/core";
import type { StreamRule } from "./stream-rule.ts";

/** A body to send. A request with a stream cannot be repeated. */
export type OutgoingBody =
  | string
  | Uint8Array<ArrayBuffer>
  | Blob
  | FormData
  | URLSearchParams
  | ReadableStream<Uint8Array<ArrayBuffer>>;

/** One call, the input of middleware. */
export interface OutgoingRequest {
  /** Method in upper case. */
  readonly method: string;
  /** Absolute URL. */
  readonly url: URL;
  /** Header fields; middleware may change them. */
  readonly headers: Headers;
  /** The body, `null` without one. */
  readonly body: OutgoingBody | null;
  /** Aborts when the reply is no longer needed. */
  readonly signal: AbortSignal;
  /** Maximum size in bytes of a reply that is not a stream. */
  readonly maxReplyBytes: number;
  /** Maximum size of a stream in bytes. */
  readonly maxStreamBytes: number;
  /** Returns whether a reply is a stream, by its status and header fields. */
  readonly isStream: StreamRule;
  /** Aborts `signal`. `timeout` of core calls it. */
  abort(reason: Error): void;
}

/** Middleware around outgoing calls: `retryRequests`, `breaker`, `timeout`, or your own. */
export type OutgoingMiddleware = Middleware<OutgoingRequest, Response>;

/** Sends one web request and returns the reply without following redirects. */
export type Fetch = (request: Request) => Awaitable<Response>;

/** The innermost step of a client: sends one request. */
export type Send = (request: OutgoingRequest) => Awaitable<Response>;

const idempotent: ReadonlySet<string> = new Set([
  "GET",
  "HEAD",
  "OPTIONS",
  "TRACE",
  "QUERY",
  "PUT",
  "DELETE",
]);

/** Whether a request may be sent twice: its method is idempotent (RFC 9110 9.2.2) or it has an `Idempotency-Key`, and its body is not a stream. */
export const isRepeatable = ({ method, headers, body }: OutgoingRequest): boolean =>
  !(body instanceof ReadableStream) && (idempotent.has(method) || headers.has("idempotency-key"));
