import type { Middleware } from "@framework/core";
import type { GrpcStatusName } from "../status/grpc-status.ts";

/** Retry policy. A call is retried only if the server has sent nothing, so a stream is never retried after its first message. */
export interface GrpcRetry {
  /** Attempts in total, 2 to 5. */
  readonly maxAttempts: number;
  /** Milliseconds before the second attempt; doubled for each further one, with jitter. @default 100 */
  readonly initialDelayMs?: number;
  /** Longest delay in milliseconds. @default 2000 */
  readonly maxDelayMs?: number;
  /** Statuses that are retried. @default ["UNAVAILABLE"] */
  readonly statuses?: readonly Exclude<GrpcStatusName, "OK">[];
}

/** Credentials of a client for TLS, in PEM. */
export interface GrpcClientTls {
  /** Trusted certificate authorities. @default those of the system */
  readonly ca?: string | Uint8Array;
  /** Certificate and key of the client, for mutual TLS. */
  readonly cert?: string | Uint8Array;
  /** Key of `cert`. */
  readonly key?: string | Uint8Array;
}

/** A call of a client, as middleware sees it. */
export interface OutgoingCall {
  /** Service and method: `books.v1.Catalog/GetBook`. */
  readonly name: string;
  /** The message, or the iterable of messages. */
  readonly request: unknown;
  /** Metadata to send; middleware may add to it. */
  readonly metadata: Map<string, string | Uint8Array>;
  /** Milliseconds since 1970; `null` for none. */
  readonly deadlineMs: number | null;
}

/** Options of `grpcClient`. */
export interface GrpcClientOptions {
  /** TLS; `true` trusts the authorities of the system. @default false: plain text */
  readonly tls?: boolean | GrpcClientTls;
  /** Deadline of calls without their own, in milliseconds; 0 for none. @default 30000 */
  readonly timeoutMs?: number;
  /** Retry policy. @default none: one attempt */
  readonly retry?: GrpcRetry;
  /**
   * Seconds between PINGs to the server while calls are in progress; 0 for none. Without an answer the calls end
   * with UNAVAILABLE, and the next one reconnects. Other server implementations may allow only 300 s or more. @default 300
   */
  readonly keepaliveSecs?: number;
  /** Seconds to wait for the answer to a PING. @default 10 */
  readonly keepaliveTimeoutSecs?: number;
  /** Middleware around calls: `(call, next) => output`. `next` gives the answer: a message, or an async iterable of messages. @default [] */
  readonly use?: readonly Middleware<OutgoingCall, unknown>[];
  /** Largest message of an answer in bytes. @default 4194304 */
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
  /** The call that is being served: its cancellation and its remaining time apply to this one. */
  readonly within?: { readonly signal: AbortSignal; readonly deadlineMs: number | null };
}
