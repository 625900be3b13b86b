import type { CommonHeaders } from "./header-fields.ts";
import type { OutgoingBody } from "./outgoing-request.ts";
import type { StreamRule } from "./stream-rule.ts";

/** The work for which a call is made, such as an `HttpRequest`. */
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
  /** Header fields, in addition to the client's `headers`; `undefined` counts as not given. @default none */
  readonly headers?: Headers | CommonHeaders;
  /** Body of the request. A stream is read or cancelled, even if the call fails. @default none */
  readonly body?: OutgoingBody;
  /** Value to send as JSON, instead of `body`. @default none */
  readonly json?: unknown;
  /** Aborts the call. @default never */
  readonly signal?: AbortSignal;
  /** The request that is being handled: its abort also aborts the call, and trusted hosts get its id. @default none */
  readonly within?: CallingWork;
  /** Key by which the service recognises a retry; only sent to trusted hosts. @default none */
  readonly idempotencyKey?: string;
  /**
   * Whether the reply is a stream: only the call's own `maxReplyBytes` limits its size, and `timeoutMs` applies until its header fields arrive. A function
   * decides by status and header fields.
   * @default false
   */
  readonly stream?: boolean | StreamRule;
  /** Maximum size of the reply in bytes, also of a stream. @default the client's `maxReplyBytes`, for a stream no limit */
  readonly maxReplyBytes?: number;
}
