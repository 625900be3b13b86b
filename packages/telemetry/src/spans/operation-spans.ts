import { type Context, type Span, type SpanContext, SpanStatusCode, trace } from "@opentelemetry/api";
import { Context as InvocationContext } from "@framework/core";
import { type OperationListener, Trace, type TracedOperation } from "@framework/core/feature";
import { redactAttributes } from "../redaction/redact-attributes.ts";
import { ContextWithSpan } from "../tracing/span-context.ts";
import { isSampled, isSuppressed, type OwnSdk, spanOf, type Tracing } from "../tracing/tracing.ts";
import { addedAttributes, operationSpanName, spanKinds } from "./operation-names.ts";
import { parentOf, STARTED_BY } from "./operation-parent.ts";
import { recordError } from "./span-errors.ts";

/** The span of an operation and the context of its work. */
interface OperationSpan {
  readonly span: Span | null;
  readonly context: Context;
}

/**
 * Creates a span for each operation other than requests.
 *
 * Statements and commands outside of a trace have no span: a queue that polls every second would flood the collector.
 */
export const operationSpans = (tracing: Tracing): OperationListener<OperationSpan | null> => ({
  except: ["http"],
  start: (operation) => begin(tracing, operation),
  error(operation, state) {
    if (operation.error !== null && state?.span) recordError(state.span, operation.error);
  },
  end({ attributes, error }, state) {
    if (!state?.span) return;
    const { span } = state;
    for (const [name, value] of Object.entries(redactAttributes(attributes)))
      if (value !== undefined && name !== STARTED_BY) span.setAttribute(name, value);
    if (error === null && attributes["error.type"] !== undefined)
      span.setStatus({ code: SpanStatusCode.ERROR });
    span.end();
  },
  store: {
    run: (state, work) => (state === null ? work() : tracing.contexts.with(state.context, work)),
  },
});

const begin = (tracing: Tracing, operation: TracedOperation): OperationSpan | null => {
  const { tracer, own, contexts } = tracing;
  if (isSuppressed(contexts.active())) return null;
  const { context: parent, links } = parentOf(tracing, operation);
  const caller = spanOf(parent);
  if (caller === null && operation.kind === "db") return null;
  if (own !== null && caller !== null && !isSampled(caller))
    return {
      span: null,
      context: propagatesTrace(operation) ? unrecordedContext(parent, caller, own) : parent,
    };
  const attributes = redactAttributes({ ...operation.attributes, ...addedAttributes(operation) });
  delete attributes[STARTED_BY];
  const options = { kind: spanKinds[operation.role], attributes, links };
  const span = tracer.startSpan(operationSpanName(operation), options, parent);
  setTrace(operation, span);
  return { span, context: trace.setSpan(parent, span) };
};

/** Whether the trace is sent to a remote side: each such call has its own span id, recorded or not. */
const propagatesTrace = ({ kind, role }: TracedOperation): boolean =>
  role === "producer" || (role === "client" && kind !== "db");

const unrecordedContext = (parent: Context, caller: SpanContext, { ids }: OwnSdk): Context => {
  const { traceId, traceFlags, traceState } = caller;
  const span = {
    traceId,
    spanId: ids.generateSpanId(),
    traceFlags,
    ...(traceState !== undefined && { traceState }),
  };
  return new ContextWithSpan(parent, trace.wrapSpanContext(span));
};

/** Sets the trace in the context of an invocation, for logs and stored events, unless it is set, as for a request. */
const setTrace = ({ subject }: TracedOperation, span: Span): void => {
  if (subject === null || !("context" in subject) || !(subject.context instanceof InvocationContext)) return;
  if (subject.context.get(Trace) === null) subject.context.set(Trace, span.spanContext());
};
