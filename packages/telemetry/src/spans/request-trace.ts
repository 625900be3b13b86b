import {
  type Context,
  ROOT_CONTEXT,
  type Span,
  type SpanContext,
  SpanKind,
  trace,
  TraceFlags,
} from "@opentelemetry/api";
import type { HttpRequest } from "@framework/core";
import type { TraceIds } from "@framework/core/feature";
import { fieldGetter, type FieldSource } from "../propagation/carriers.ts";
import { ContextWithSpan } from "../tracing/span-context.ts";
import { isSampled, type OwnSdk, spanOf, type Tracing } from "../tracing/tracing.ts";
import { RecordedSpan } from "../tracing/recorded-span.ts";
import { requestAttributes, requestSpanName } from "./request-attributes.ts";
import { UnrecordedTrace } from "./unrecorded-trace.ts";

/** The trace of a request. */
export interface RequestTrace extends TraceIds {
  /** The context of its work. */
  readonly context: Context;
  /** `null` for a request that is not recorded. */
  readonly span: Span | null;
}

/** Begins the trace of a request, or continues the trace of its caller. */
export const beginTrace = (tracing: Tracing, request: HttpRequest): RequestTrace =>
  tracing.own === null ? traceOfProgram(tracing, request) : ownTrace(tracing, tracing.own, request);

const ownTrace = ({ propagator }: Tracing, own: OwnSdk, request: HttpRequest): RequestTrace => {
  const { ids, sampler } = own;
  const isCalled = request.getHeader("traceparent") !== null || request.getHeader("baggage") !== null;
  const base = isCalled ? propagator.extract(ROOT_CONTEXT, fieldsOf(request), fieldGetter) : ROOT_CONTEXT;
  const caller = isCalled ? spanOf(base) : null;
  if (caller === null && sampler.decide()) {
    const [traceId, spanId] = sampler.newSampledIds(ids);
    return recordedTrace(own, request, base, null, { traceId, spanId, traceFlags: TraceFlags.SAMPLED });
  }
  if (caller === null || !isSampled(caller)) return new UnrecordedTrace(own, base, caller);
  const { traceId, traceState } = caller;
  const plain = { traceId, spanId: ids.generateSpanId(), traceFlags: TraceFlags.SAMPLED };
  return recordedTrace(
    own,
    request,
    base,
    caller,
    traceState === undefined ? plain : { ...plain, traceState },
  );
};

const recordedTrace = (
  { origin }: OwnSdk,
  request: HttpRequest,
  base: Context,
  parent: SpanContext | null,
  ids: SpanContext,
): RequestTrace => {
  const name = requestSpanName(request);
  const span = new RecordedSpan(origin, { ids, parent, name, kind: SpanKind.SERVER, base });
  return { context: span, span, traceId: ids.traceId, spanId: ids.spanId };
};

/** The program's SDK samples, and its sampler may use the attributes, so they are set at the start. */
const traceOfProgram = (tracing: Tracing, request: HttpRequest): RequestTrace => {
  const { propagator, tracer, contexts } = tracing;
  const active = contexts.active();
  const activeSpan = trace.getSpan(active);
  if (activeSpan !== undefined && isServerSpan(activeSpan))
    return withinServerSpan(activeSpan, active, request);
  const base = propagator.extract(ROOT_CONTEXT, fieldsOf(request), fieldGetter);
  const start = { kind: SpanKind.SERVER, attributes: requestAttributes(request) };
  const span = tracer.startSpan(requestSpanName(request), start, base);
  const { traceId, spanId } = span.spanContext();
  return {
    context: new ContextWithSpan(base, span),
    span: span.isRecording() ? span : null,
    traceId,
    spanId,
  };
};

/** The program's HTTP instrumentation creates and ends the span, which only lacks the route. */
const withinServerSpan = (span: Span, context: Context, request: HttpRequest): RequestTrace => {
  if (request.route !== null)
    span.updateName(requestSpanName(request)).setAttribute("http.route", request.route);
  const { traceId, spanId } = span.spanContext();
  return { context, span: null, traceId, spanId };
};

/** Whether a recording span is a server span; the SDK's spans have `kind`, which the API lacks. */
const isServerSpan = (span: Span): boolean =>
  span.isRecording() && (span as { readonly kind?: unknown }).kind === SpanKind.SERVER;

const fieldsOf = (request: HttpRequest): FieldSource => ({ get: (name) => request.getHeader(name) });
