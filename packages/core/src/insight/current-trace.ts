import type { TraceIds } from "../invocation/trace-keys.ts";

/** The trace and the span that the running code is part of. */
export interface CurrentTrace extends TraceIds {
  /** Returns the fields that continue the trace elsewhere, such as `traceparent`: names in lower case, for messages and stored work. */
  headers(): Readonly<Record<string, string>>;
}

/** Returns the trace of the running code; `null` outside of one. */
export type ReadTrace = () => CurrentTrace | null;
