import {
  type Context,
  createContextKey,
  propagation,
  type SpanContext,
  type TextMapGetter,
  type TextMapPropagator,
  type TextMapSetter,
  trace,
  TraceFlags,
} from "@opentelemetry/api";
import { formatBaggage, parseBaggage } from "./baggage.ts";
import { formatTraceParent, parseTraceParent } from "./trace-parent.ts";
import { parseTraceState } from "./trace-state.ts";

/** Set if a caller's trace id is not random; the ids of this package are always random. */
const notRandom: symbol = createContextKey("framework: the trace id is not random");

/**
 * Strict W3C Trace Context and Baggage: an invalid `traceparent` starts a new trace, an invalid `tracestate` is dropped. Unlike the SDK's propagator it keeps
 * the random flag, and rejects everything that the specification rejects.
 */
export class W3cPropagator implements TextMapPropagator {
  private readonly baggageKeys: ReadonlySet<string>;

  /** @param baggageKeys members of baggage that outgoing calls may carry */
  constructor(baggageKeys: readonly string[]) {
    this.baggageKeys = new Set(baggageKeys);
  }

  inject<Carrier>(context: Context, carrier: Carrier, setter: TextMapSetter<Carrier>): void {
    const span = trace.getSpanContext(context);
    if (span !== undefined && trace.isSpanContextValid(span)) {
      const { traceId, spanId, traceFlags, traceState } = span;
      const isSampled = (traceFlags & TraceFlags.SAMPLED) === TraceFlags.SAMPLED;
      const isRandom = context.getValue(notRandom) === undefined;
      setter.set(carrier, "traceparent", formatTraceParent({ traceId, spanId, isSampled, isRandom }));
      const state = traceState?.serialize() ?? "";
      if (state !== "") setter.set(carrier, "tracestate", state);
    }
    const baggage = propagation.getBaggage(context);
    const field = baggage === undefined ? "" : formatBaggage(baggage, this.baggageKeys);
    if (field !== "") setter.set(carrier, "baggage", field);
  }

  extract<Carrier>(context: Context, carrier: Carrier, getter: TextMapGetter<Carrier>): Context {
    const field = (name: string): string | null => fieldOf(getter.get(carrier, name));
    const baggage = field("baggage");
    const carried = baggage === null ? null : parseBaggage(baggage);
    const within = carried === null ? context : propagation.setBaggage(context, carried);
    const parent = field("traceparent");
    const parsed = parent === null ? null : parseTraceParent(parent);
    if (parsed === null) return within;
    const { traceId, spanId, isSampled, isRandom } = parsed;
    const state = field("tracestate");
    const traceState = state === null ? null : parseTraceState(state);
    const span: SpanContext = {
      traceId,
      spanId,
      isRemote: true,
      traceFlags: isSampled ? TraceFlags.SAMPLED : TraceFlags.NONE,
      ...(traceState !== null && { traceState }),
    };
    const continued = trace.setSpanContext(within, span);
    return isRandom ? continued : continued.setValue(notRandom, true);
  }

  fields(): string[] {
    return ["traceparent", "tracestate", "baggage"];
  }
}

const fieldOf = (value: string | string[] | undefined): string | null => {
  if (value === undefined) return null;
  return typeof value === "string" ? value : value.join(",");
};
