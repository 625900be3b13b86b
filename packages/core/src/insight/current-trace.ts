/** The trace and the span that the running code is part of. */
export interface CurrentTrace {
  /** 32 hexadecimal digits (W3C Trace Context). */
  readonly traceId: string;
  /** 16 hexadecimal digits. */
  readonly spanId: string;
  /** Returns the fields that continue the trace elsewhere, such as `traceparent`: names in lower case, for messages and stored work. */
  headers(): Readonly<Record<string, string>>;
}

/** Returns the trace of the running code; `null` outside of one. */
export type ReadTrace = () => CurrentTrace | null;
