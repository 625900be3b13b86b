import type { CurrentTrace } from "@framework/core/feature";
import { recordSetter } from "../propagation/carriers.ts";
import { spanOf, type Tracing } from "./tracing.ts";

/** Returns the trace of the running code, for logs and for headers of messages and stored work; `null` outside a trace. */
export const currentTrace = ({ contexts, propagator }: Tracing): CurrentTrace | null => {
  const context = contexts.active();
  const span = spanOf(context);
  if (span === null) return null;
  const { traceId, spanId } = span;
  return {
    traceId,
    spanId,
    headers() {
      const headers: Record<string, string> = {};
      propagator.inject(context, headers, recordSetter);
      return headers;
    },
  };
};
