import type { OutgoingCall, OutgoingCallObserver } from "@framework/core/feature";
import { recordSetter } from "../propagation/carriers.ts";
import { redactUrl } from "../redaction/redact.ts";
import { isSuppressed, type Tracing } from "../tracing/tracing.ts";

/** Sends the current trace with calls of `fetch` and undici, and adds their URLs to spans. */
export const tracedCalls = (tracing: Tracing): OutgoingCallObserver => ({
  accepts(call) {
    if (isSuppressed(tracing.contexts.active())) return false;
    return tracing.own !== null || !namesOf(call).has("traceparent"); // the program's own instrumentation has made the span
  },
  attributes: ({ origin, path }) => ({ "url.full": redactUrl(`${String(origin)}${path}`) }),
  started: (call) => addFields(tracing, call),
});

/** Adds the header fields of the trace, except those that the program has set; a `tracestate` belongs to the `traceparent` of its trace. */
const addFields = ({ contexts, propagator }: Tracing, call: OutgoingCall): void => {
  const fields: Record<string, string> = {};
  propagator.inject(contexts.active(), fields, recordSetter);
  const present = namesOf(call);
  if (present.has("traceparent")) delete fields["tracestate"];
  for (const [name, value] of Object.entries(fields)) if (!present.has(name)) call.addHeader(name, value);
};

/** Names of the header fields of a call, in lower case. In a list, names and values alternate, and a value may be a list of values. */
const namesOf = ({ headers }: OutgoingCall): ReadonlySet<string> => {
  const names =
    typeof headers === "string"
      ? headers.split("\r\n").map((line) => line.slice(0, Math.max(0, line.indexOf(":"))))
      : headers.filter((_, at) => at % 2 === 0);
  return new Set(names.map((name) => name.toLowerCase()));
};
