import type { Middleware } from "@framework/core";
import type { GrpcStatusName } from "../status/grpc-status.ts";

/** Retry policy. A call is retried only if the server has sent no response headers, so a stream is never retried after its first message. */
export interface GrpcRetry {
  /** Attempts in total, 2 to 5. */
  readonly maxAttempts: number;
  /** Milliseconds before the second attempt; doubled for each further attempt, with jitter. @default 100 */
  readonly initialDelayMs?: number;
  /** Longest delay in milliseconds. @default 2000 */
  readonly maxDelayMs?: number;
  /** Statuses that are retried. @default ["UNAVAILABLE"] */
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
  /** TLS; `true` trusts Node's default CAs. @default false: plain text */
  readonly tls?: boolean | GrpcClientTls;
  /** Deadline of calls without their own, in milliseconds; 0 for none. @default 30000 */
  readonly timeoutMs?: number;
  /** Retry policy. @default none: one attempt */
  readonly retry?: GrpcRetry;
  /**
   * Seconds between PINGs to the server while calls are in progress; 0 for none. If the server does not respond, the calls end
   * with UNAVAILABLE, and the next call reconnects. Other server implementations may accept only 300 s or more. @default 300
   */
  readonly keepaliveSecs?: number;
  /** Seconds to wait for the response to a PING. @default 10 */
  readonly keepaliveTimeoutSecs?: number;
  /**
   * Middleware around calls: `(call, next) => output`. `next` returns a promise of the response message, or an async iterable of response messages; if the
   * call fails, a `FailedCall` takes the place of the iterable, the promise or its value. An iterable that fails later throws. @default []
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
  /** Deadline in milliseconds from now; 0 for none. @default `timeoutMs` of the client */
  readonly timeoutMs?: number;
  /** Metadata of the call. */
  readonly metadata?: Readonly<Record<string, string | Uint8Array>>;
  /** The call that is being served; its cancellation and remaining time also apply to this call. */
  readonly within?: { readonly signal: AbortSignal; readonly deadlineMs: number | null };
}
