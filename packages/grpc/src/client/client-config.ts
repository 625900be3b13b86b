import type { Middleware } from "@framework/core";
import type { GrpcStatusName } from "../status/grpc-status.ts";

/** Retry policy. A call is retried only if the server has sent no response headers, so a stream is never retried after its first response. */
export interface GrpcRetry {
  /** Attempts in total, 2 to 5. */
  readonly maxAttempts: number;
  /** Milliseconds before the second attempt, limited by `maxDelayMs`; doubled for each further attempt. Jitter of ±20 % is added. @default 100 */
  readonly initialDelayMs?: number;
  /** Longest delay in milliseconds, before jitter of ±20 %. @default 2000 */
  readonly maxDelayMs?: number;
  /** Statuses that are retried, at least one. @default ["UNAVAILABLE"] */
  readonly statuses?: readonly Exclude<GrpcStatusName, "OK">[];
}

/** Credentials of a client for TLS, in PEM. */
export interface GrpcClientTls {
  /** Trusted certificate authorities. @default Node's default CAs */
  readonly ca?: string | Uint8Array;
  /** Certificate of the client, for mutual TLS. Needs `key`. */
  readonly cert?: string | Uint8Array;
  /** Key of `cert`. */
  readonly key?: string | Uint8Array;
}

/** A call of a client, for middleware. */
export interface OutgoingCall {
  /** Service and method: `books.v1.Catalog/GetBook`. */
  readonly name: string;
  /** The message, or the iterable of messages. */
  readonly request: unknown;
  /** Metadata to send, by name in lower case; middleware may add to it. */
  readonly metadata: Map<string, string | Uint8Array>;
  /** Deadline in Unix milliseconds; `null` for none. */
  readonly deadlineMs: number | null;
}

/** Options of `grpcClient`. */
export interface GrpcClientOptions {
  /** TLS; `true` trusts Node's default CAs. @default false: plaintext */
  readonly tls?: boolean | GrpcClientTls;
  /** Default timeout of a call in milliseconds; 0 for none. @default 30000 */
  readonly timeoutMs?: number;
  /** Retry policy. @default none: one attempt */
  readonly retry?: GrpcRetry;
  /**
   * Seconds between PINGs to the server while calls are in progress; 0 for none. If the server does not respond, the calls end
   * with UNAVAILABLE, and the next call reconnects. Servers not built with this package may close the connection if PINGs arrive more often than every
   * 300 s. @default 300
   */
  readonly keepaliveSecs?: number;
  /** Seconds to wait for the response to a PING. @default 10 */
  readonly keepaliveTimeoutSecs?: number;
  /**
   * Middleware around calls: `(call, next) => output`. `next` returns a promise of the response message or, for a streaming response, an async iterable of
   * response messages. It neither throws nor rejects: if the call fails, it returns a `FailedCall` or a promise of one. A failure during the iteration
   * throws a `GrpcError`. @default []
   */
  readonly use?: readonly Middleware<OutgoingCall, unknown>[];
  /** Largest response message in bytes. @default 4194304 */
  readonly maxMessageSize?: number;
  /** Metadata of every call, such as `authorization`. @default {} */
  readonly metadata?: Readonly<Record<string, string | Uint8Array>>;
}

/** Options of one call. */
export interface GrpcCallOptions {
  /** Cancels the call. */
  readonly signal?: AbortSignal;
  /** Timeout in milliseconds; 0 for none. @default `timeoutMs` of the client */
  readonly timeoutMs?: number;
  /** Metadata of the call. */
  readonly metadata?: Readonly<Record<string, string | Uint8Array>>;
  /** The call that is being served; its cancellation and remaining time also apply to this call. */
  readonly within?: { readonly signal: AbortSignal; readonly deadlineMs: number | null };
}
