import { type Key, key } from "./key.ts";

/** Id of an invocation in logs, replies and outgoing calls; set by the request-id feature, or by the feature that creates the invocation. */
export const RequestId: Key<string | null> = key<string | null>("request_id", null);

/** The ids of a trace and of one of its spans (W3C Trace Context). A tracer may create them only when they are read. */
export interface TraceIds {
  /** 32 hexadecimal digits. */
  readonly traceId: string;
  /** 16 hexadecimal digits. */
  readonly spanId: string;
}

/** The trace of an invocation, and its span; set by a tracer. */
export const Trace: Key<TraceIds | null> = key<TraceIds | null>("trace", null);

/** The error that became a 500, or a 501 to 599 whose message is hidden from clients; for tracers and logs. A client never sees it in production. */
export const FailedWith: Key<Error | null> = key<Error | null>("failed_with", null);
