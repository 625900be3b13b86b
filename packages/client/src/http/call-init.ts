import type { CommonHeaders } from "./http-options.ts";
import type { OutgoingBody } from "./outgoing-request.ts";
import type { StreamRule } from "./stream-rule.ts";

/** The work that a call belongs to, such as an `HttpRequest`. */
export interface CallingWork {
  /** Aborts the call. */
  readonly signal?: AbortSignal;
  /** Id sent to trusted hosts as `X-Request-ID`. */
  readonly requestId?: string | null;
}

/** Options of one call. */
export interface CallInit {
  /** Method. @default GET */
  readonly method?: string;
  /** Header fields, besides those of the client. @default none */
  readonly headers?: Headers | CommonHeaders;
  /** The body. @default none */
  readonly body?: OutgoingBody;
  /** A value to send as JSON in place of `body`. */
  readonly json?: unknown;
  /** Aborts the call. @default never */
  readonly signal?: AbortSignal;
  /** The request being handled: its abort ends the call, and trusted hosts get its id. @default none */
  readonly within?: CallingWork;
  /** Key by which the service recognises a retry; only sent to trusted hosts. @default none */
  readonly idempotencyKey?: string;
  /** Whether the reply is a stream: without a size limit, and with a time limit only for its head. A function decides from the head. @default false */
  readonly stream?: boolean | StreamRule;
  /** Maximum size of the reply in bytes, also of a stream. @default that of the client, for a stream none */
  readonly maxReplyBytes?: number;
}
