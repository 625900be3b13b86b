import {
  type AttributeValue,
  type Attributes,
  type Context,
  type Exception,
  type HrTime,
  type Link,
  type Span,
  type SpanContext,
  type SpanKind,
  type SpanStatus,
  SpanStatusCode,
  type TimeInput,
} from "@opentelemetry/api";
import type { ReadableSpan } from "@opentelemetry/sdk-trace";
import type { TraceIds } from "@framework/core/feature";
import type { EncodedAttributes, SpanOrigin, SpanStart } from "./span-parts.ts";
import { truncateValue, truncateValues, isValue, MAX_ITEMS } from "./attribute-values.ts";
import { hrTimeOf, timeOf } from "./span-time.ts";
import { spanKey } from "./span-context.ts";

const noItems: never[] = [];
/** Shared by spans without attributes; never written to. */
const noAttributes: Attributes = {};

/**
 * An exported span, which is also the context of its work: cheaper than the SDK's span, which checks and copies attributes one by one.
 *
 * The framework adds the attributes of a request once, at its end; attributes that the program has set take precedence.
 */
export class RecordedSpan implements Span, ReadableSpan, Context, TraceIds {
  name: string;
  readonly kind: SpanKind;
  readonly parentSpanContext?: SpanContext;
  readonly startTime: HrTime;
  endTime: HrTime;
  /** Attributes of this span alone. */
  own: Attributes = noAttributes;
  /** Attributes shared with other spans; `null` if there are none. */
  shared: EncodedAttributes | null = null;
  events: ReadableSpan["events"] = noItems;
  links: Link[] = noItems;
  status: SpanStatus = unset;
  ended = false;
  droppedAttributesCount = 0;
  droppedEventsCount = 0;
  droppedLinksCount = 0;
  private size = 0;
  private readonly ids: SpanContext;
  private readonly base: Context;
  private readonly origin: SpanOrigin;
  private readonly beganAt: number;
  private readonly beganDate: number;

  constructor(origin: SpanOrigin, { ids, parent, name, kind, base }: SpanStart) {
    this.origin = origin;
    this.ids = ids;
    this.base = base;
    this.name = name;
    this.kind = kind;
    if (parent !== null) this.parentSpanContext = parent;
    this.beganAt = origin.now();
    this.beganDate = origin.date();
    this.startTime = hrTimeOf(this.beganDate);
    this.endTime = this.startTime;
  }

  get traceId(): string {
    return this.ids.traceId;
  }

  get spanId(): string {
    return this.ids.spanId;
  }

  get attributes(): Attributes {
    return this.shared === null ? this.own : { ...this.shared.attributes, ...this.own };
  }

  get resource(): ReadableSpan["resource"] {
    return this.origin.resource;
  }

  get instrumentationScope(): ReadableSpan["instrumentationScope"] {
    return this.origin.scope;
  }

  get duration(): HrTime {
    const [seconds, nanos] = [this.endTime[0] - this.startTime[0], this.endTime[1] - this.startTime[1]];
    return nanos < 0 ? [seconds - 1, nanos + 1_000_000_000] : [seconds, nanos];
  }

  // Members of `Context`.

  getValue(key: symbol): unknown {
    return key === spanKey ? this : this.base.getValue(key);
  }

  setValue(key: symbol, value: unknown): Context {
    return this.base.setValue(spanKey, this).setValue(key, value);
  }

  deleteValue(key: symbol): Context {
    return this.base.setValue(spanKey, this).deleteValue(key);
  }

  // Members of `Span`.

  spanContext(): SpanContext {
    return this.ids;
  }

  isRecording(): boolean {
    return !this.ended;
  }

  setAttribute(name: string, value: AttributeValue): this {
    if (this.ended || !isValue(value)) return this;
    if (!Object.hasOwn(this.own, name)) {
      if (this.size >= MAX_ITEMS) {
        this.droppedAttributesCount++;
        return this;
      }
      if (this.size++ === 0) this.own = {};
    }
    this.own[name] = truncateValue(value);
    return this;
  }

  setAttributes(attributes: Attributes | null | undefined): this {
    for (const [name, value] of Object.entries(attributes ?? {}))
      if (value !== undefined) this.setAttribute(name, value);
    return this;
  }

  addEvent(name: string, attributes?: Attributes | TimeInput, time?: TimeInput): this {
    if (this.ended) return this;
    const isTime = typeof attributes === "number" || Array.isArray(attributes) || attributes instanceof Date;
    if (this.events.length >= MAX_ITEMS) {
      this.events.shift();
      this.droppedEventsCount++;
    }
    if (this.events === noItems) this.events = [];
    const truncated = isTime ? {} : truncateValues((attributes ?? {}) as Attributes);
    const at = isTime ? (attributes as TimeInput) : time;
    this.events.push({ name, attributes: truncated, time: this.time(at), droppedAttributesCount: 0 });
    return this;
  }

  addLink(link: Link): this {
    if (this.ended) return this;
    if (this.links.length >= MAX_ITEMS) this.droppedLinksCount++;
    else
      this.links = [
        ...this.links,
        { context: link.context, attributes: truncateValues(link.attributes ?? {}) },
      ];
    return this;
  }

  addLinks(links: Link[]): this {
    for (const link of links) this.addLink(link);
    return this;
  }

  setStatus({ code, message }: SpanStatus): this {
    if (this.ended || code === SpanStatusCode.UNSET || this.status.code === SpanStatusCode.OK) return this;
    const hasMessage = code === SpanStatusCode.ERROR && typeof message === "string";
    this.status = hasMessage ? { code, message } : { code };
    return this;
  }

  updateName(name: string): this {
    if (!this.ended) this.name = name;
    return this;
  }

  recordException(exception: Exception, time?: TimeInput): void {
    const isObject = typeof exception === "object" && exception !== null; // programs record what they catch, which may be any value
    const { name, message, stack, code } = isObject
      ? (exception as ExceptionFields)
      : { message: String(exception), name: undefined };
    const type = code === undefined ? name : String(code);
    this.addEvent(
      "exception",
      {
        ...(type !== undefined && { "exception.type": type }),
        ...(message !== undefined && { "exception.message": message }),
        ...(stack !== undefined && { "exception.stacktrace": stack }),
      },
      time,
    );
  }

  /**
   * Ends the span.
   *
   * @param attributes added unless the program has set them; the object is not copied
   * @param shared further attributes, added in the same way; not copied
   */
  end(endTime?: TimeInput, attributes?: Attributes, shared: EncodedAttributes | null = null): void {
    if (this.ended) return;
    if (attributes !== undefined) this.complete(attributes, shared);
    const end = this.time(endTime);
    this.endTime = isBefore(end, this.startTime) ? this.startTime : end;
    this.ended = true;
    this.origin.onEnd(this);
  }

  private complete(attributes: Attributes, shared: EncodedAttributes | null): void {
    if (this.size === 0) {
      this.own = attributes;
      this.shared = shared;
    } else this.own = { ...shared?.attributes, ...attributes, ...this.own }; // the program's attributes take precedence, so the encoded bytes cannot be used
  }

  private time(given?: TimeInput): HrTime {
    return given === undefined
      ? hrTimeOf(this.beganDate + Math.max(0, this.origin.now() - this.beganAt))
      : timeOf(given);
  }
}

interface ExceptionFields {
  readonly name?: string;
  readonly message?: string;
  readonly stack?: string;
  readonly code?: string | number;
}

const unset: SpanStatus = { code: SpanStatusCode.UNSET };

const isBefore = (one: HrTime, other: HrTime): boolean =>
  one[0] < other[0] || (one[0] === other[0] && one[1] < other[1]);
