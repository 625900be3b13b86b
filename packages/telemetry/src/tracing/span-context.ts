import { type Context, INVALID_SPAN_CONTEXT, type Span, trace } from "@opentelemetry/api";

/** Key under which the API stores the span of a context, determined with its public functions. */
export const spanKey: symbol = findSpanKey();

/** A context that adds a span to another one, with less garbage than the API's own context, which copies a map and creates three closures. */
export class ContextWithSpan implements Context {
  private readonly base: Context;
  private readonly span: Span;

  constructor(base: Context, span: Span) {
    this.base = base;
    this.span = span;
  }

  getValue(key: symbol): unknown {
    return key === spanKey ? this.span : this.base.getValue(key);
  }

  setValue(key: symbol, value: unknown): Context {
    return this.base.setValue(spanKey, this.span).setValue(key, value);
  }

  deleteValue(key: symbol): Context {
    return this.base.setValue(spanKey, this.span).deleteValue(key);
  }
}

function findSpanKey(): symbol {
  let found: symbol | null = null;
  const probe: Context = {
    getValue: () => undefined,
    setValue: (key) => ((found = key), probe),
    deleteValue: () => probe,
  };
  trace.setSpan(probe, trace.wrapSpanContext(INVALID_SPAN_CONTEXT));
  return found ?? Symbol("no key of a span in the API");
}
