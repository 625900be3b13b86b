import { type Context, type Span, type SpanContext, trace, TraceFlags } from "@opentelemetry/api";
import type { TraceIds } from "@framework/core/feature";
import { spanKey } from "../tracing/span-context.ts";
import type { OwnSdk } from "../tracing/tracing.ts";

/**
 * The context of a request that is not sampled. Its ids and its non-recording span are created on demand, such as for a log
 * line, an outgoing call or a span of the program.
 */
export class UnrecordedTrace implements Context, TraceIds {
  readonly span: null = null;
  private readonly own: OwnSdk;
  private readonly base: Context;
  private readonly caller: SpanContext | null;
  private cached: SpanContext | null = null;

  /** @param caller span of the caller; `null` for a trace that begins here */
  constructor(own: OwnSdk, base: Context, caller: SpanContext | null) {
    this.own = own;
    this.base = base;
    this.caller = caller;
  }

  get context(): Context {
    return this;
  }

  get traceId(): string {
    return this.spanContext.traceId;
  }

  get spanId(): string {
    return this.spanContext.spanId;
  }

  getValue(key: symbol): unknown {
    return key === spanKey ? this.wrapSpan() : this.base.getValue(key);
  }

  setValue(key: symbol, value: unknown): Context {
    return this.base.setValue(spanKey, this.wrapSpan()).setValue(key, value);
  }

  deleteValue(key: symbol): Context {
    return this.base.setValue(spanKey, this.wrapSpan()).deleteValue(key);
  }

  private wrapSpan(): Span {
    return trace.wrapSpanContext(this.spanContext);
  }

  private get spanContext(): SpanContext {
    return (this.cached ??= this.createSpanContext());
  }

  private createSpanContext(): SpanContext {
    const { caller } = this;
    const { ids, sampler } = this.own;
    const traceId = caller === null ? sampler.newTraceId(ids, false) : caller.traceId;
    const created = { traceId, spanId: ids.generateSpanId(), traceFlags: TraceFlags.NONE };
    return caller?.traceState === undefined ? created : { ...created, traceState: caller.traceState };
  }
}
