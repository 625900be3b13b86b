import { type Key, key } from "./key.ts";

/** Id of an invocation in logs, replies and outgoing calls; set by the request-id feature, or by the feature that creates the invocation. */
export const RequestId: Key<string | null> = key<string | null>("request_id", null);

/** Id of the trace that an invocation belongs to: 32 hexadecimal digits (W3C Trace Context), set by a tracer. */
export const TraceId: Key<string | null> = key<string | null>("trace_id", null);

/** Id of the invocation's span: 16 hexadecimal digits, set by a tracer. */
export const SpanId: Key<string | null> = key<string | null>("span_id", null);

/** The error that became a reply 500, for tracers and logs; a client never sees it in production. */
export const FailedWith: Key<Error | null> = key<Error | null>("failed_with", null);
