import type { Attributes, Context, SpanContext, SpanKind } from "@opentelemetry/api";
import type { ReadableSpan } from "@opentelemetry/sdk-trace";

/** Dependencies that all spans of an app share. */
export interface SpanOrigin {
  readonly resource: ReadableSpan["resource"];
  readonly scope: ReadableSpan["instrumentationScope"];
  /** Monotonic milliseconds. */
  readonly now: () => number;
  /** Wall-clock milliseconds. */
  readonly date: () => number;
  /** Called with a span that has ended. */
  readonly onEnd: (span: ReadableSpan) => void;
}

/** Attributes that many spans share, with their bytes in a span of OTLP. */
export interface EncodedAttributes {
  readonly attributes: Attributes;
  readonly bytes: Uint8Array;
}

/** Properties of a span at its start. */
export interface SpanStart {
  readonly ids: SpanContext;
  readonly parent: SpanContext | null;
  readonly name: string;
  readonly kind: SpanKind;
  /** The context to which the span is added. */
  readonly base: Context;
}
