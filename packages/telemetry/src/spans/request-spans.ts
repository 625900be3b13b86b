import {
  type Context,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  SpanStatusCode,
  trace,
  TraceFlags,
} from "@opentelemetry/api";
import { BodyStream, coversPath, FailedWith, mapAwaitable, SpanId, TraceId } from "@framework/core/feature";
import type { HttpRequest, Middleware, Response } from "@framework/core";
import type { RequestMeter } from "../metrics/request-meter.ts";
import { fieldGetter, type FieldSource } from "../propagation/carriers.ts";
import { SpanContextOf } from "../tracing/span-context.ts";
import { isSampled, spanOf, suppressed, type Tracing } from "../tracing/tracing.ts";
import { bodyInContext } from "./body-in-context.ts";
import { requestAttributes, requestSpanName } from "./request-attributes.ts";
import { errorType, recordError } from "./span-errors.ts";

/** Field of replies with the id of a trace that is recorded. */
export const TRACE_FIELD = "x-trace-id";

/** Options of `requestSpans`. */
export interface RequestSpanOptions {
  readonly excludedPaths: readonly string[];
  /** Whether replies carry the id of a recorded trace. */
  readonly traceHeader: boolean;
  /** `null` without metrics. */
  readonly meter: RequestMeter | null;
  /** Monotonic milliseconds. */
  readonly now: () => number;
}

/**
 * Makes a span for each request, from its head to the end of its reply, and names its trace in the context and on the reply.
 *
 * Middleware and not a listener of operations: an operation costs 2.7 µs a request, before any span is made.
 */
export const requestSpans = (
  tracing: Tracing,
  { excludedPaths, traceHeader, meter, now }: RequestSpanOptions,
): Middleware<HttpRequest, Response> => {
  const { contexts } = tracing;
  const isExcluded = coversPath(excludedPaths);
  const silent = suppressed(ROOT_CONTEXT);
  return function telemetry(request, next) {
    if (request.endpoint?.exempt.includes("telemetry") === true || isExcluded(request.path))
      return contexts.with(silent, next, undefined, request);
    const { context, span, traceId, spanId } = begin(tracing, request);
    request.context.set(TraceId, traceId).set(SpanId, spanId);
    const exchange = { request, status: 0 };
    const begun = meter === null ? 0 : now();
    meter?.begin(request);
    request.onEnd((end) => {
      meter?.end(request, exchange.status, now() - begun);
      if (span !== null) finish(span, exchange, end === "aborted");
    });
    return mapAwaitable(contexts.with(context, next, undefined, request), (reply) => {
      exchange.status = reply.status;
      if (reply.payload instanceof BodyStream)
        reply.payload = bodyInContext(reply.payload, contexts, context);
      return span === null || !traceHeader ? reply : reply.setHeader(TRACE_FIELD, traceId); // others can be found nowhere
    });
  };
};

interface Begun {
  readonly context: Context;
  /** `null` for a request that is not sampled: its context only carries the ids. */
  readonly span: Span | null;
  readonly traceId: string;
  readonly spanId: string;
}

const begin = (tracing: Tracing, request: HttpRequest): Begun => {
  const { propagator, own, tracer } = tracing;
  const isCalled = request.getHeader("traceparent") !== null || request.getHeader("baggage") !== null;
  const parent =
    isCalled || own === null
      ? propagator.extract(ROOT_CONTEXT, fieldsOf(request), fieldGetter)
      : ROOT_CONTEXT;
  if (own !== null) {
    const { ids, sampler } = own;
    const caller = isCalled ? spanOf(parent) : null;
    const traceId = caller === null ? ids.traceId() : caller.traceId;
    if (!(caller === null ? sampler.isSampled(traceId) : isSampled(caller))) {
      const spanId = ids.generateSpanId();
      const plain = { traceId, spanId, traceFlags: TraceFlags.NONE };
      const carried = caller?.traceState === undefined ? plain : { ...plain, traceState: caller.traceState };
      const context = new SpanContextOf(parent, trace.wrapSpanContext(carried));
      return { context, span: null, traceId, spanId };
    }
    if (caller === null) ids.reserve(traceId);
  }
  const kind = SpanKind.SERVER;
  const attributes = requestAttributes(request);
  // A sampler of the program may want the attributes; our SDK copies those of the start twice.
  const span = tracer.startSpan(
    requestSpanName(request),
    own === null ? { kind, attributes } : { kind },
    parent,
  );
  if (own !== null) span.setAttributes(attributes);
  const { traceId, spanId } = span.spanContext();
  return {
    context: new SpanContextOf(parent, span),
    span: span.isRecording() ? span : null,
    traceId,
    spanId,
  };
};

const fieldsOf = (request: HttpRequest): FieldSource => ({ get: (name) => request.getHeader(name) });

interface Exchange {
  readonly request: HttpRequest;
  readonly status: number;
}

/** Ends a span: a reply from 500 on and a lost connection are errors, 4xx is the client's. */
const finish = (span: Span, { request, status }: Exchange, isAborted: boolean): void => {
  if (status !== 0) span.setAttribute("http.response.status_code", status);
  const failure = request.context.get(FailedWith);
  if (failure !== null) {
    span.setAttribute("error.type", errorType(failure));
    recordError(span, failure);
  } else if (status >= 500 || isAborted) {
    span.setAttribute("error.type", isAborted ? "aborted" : String(status));
    span.setStatus({ code: SpanStatusCode.ERROR });
  }
  span.end();
};
