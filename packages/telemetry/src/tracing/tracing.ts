import {
  type Context,
  createContextKey,
  type SpanContext,
  type TextMapPropagator,
  trace,
  type Tracer,
  TraceFlags,
} from "@opentelemetry/api";
import type { SpanOrigin } from "./span-parts.ts";
import type { RandomIds } from "./random-ids.ts";
import type { RatioSampler } from "./ratio-sampler.ts";

/** Members of a context manager that spans use. */
export interface Contexts {
  active(): Context;
  with<A extends unknown[], T>(context: Context, work: (...args: A) => T, self?: undefined, ...args: A): T;
  /** Returns a faster `with` for the requests that an app gets from sockets; absent from the program's own context manager. */
  forSocketRequests?(): RunInContext;
}

/** Runs work in a context. */
export type RunInContext = <In, Out>(context: Context, work: (input: In) => Out, input: In) => Out;

/** Members of this package's SDK that the request path uses directly. */
export interface OwnSdk {
  readonly ids: RandomIds;
  readonly sampler: RatioSampler;
  readonly origin: SpanOrigin;
}

/** Creates spans with this package's SDK, or with the program's own. */
export interface Tracing {
  readonly tracer: Tracer;
  readonly contexts: Contexts;
  readonly propagator: TextMapPropagator;
  /** `null` if the program's SDK is used. */
  readonly own: OwnSdk | null;
}

/** The SDK's key, by its registered description; exporters and instrumentations also check it. */
const suppressedKey: symbol = createContextKey("OpenTelemetry SDK Context Key SUPPRESS_TRACING");

/** Returns a context in which tracing is suppressed. */
export const suppressTracing = (context: Context): Context => context.setValue(suppressedKey, true);

/** Whether tracing is suppressed in a context. */
export const isSuppressed = (context: Context): boolean => context.getValue(suppressedKey) === true;

/** Returns the valid span context of a context; `null` if there is none. */
export const spanOf = (context: Context): SpanContext | null => {
  const span = trace.getSpanContext(context);
  return span !== undefined && trace.isSpanContextValid(span) ? span : null;
};

/** Whether a span is exported. */
export const isSampled = ({ traceFlags }: SpanContext): boolean =>
  (traceFlags & TraceFlags.SAMPLED) === TraceFlags.SAMPLED;
