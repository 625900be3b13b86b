import type { Attributes, AttributeValue, SpanContext } from "@opentelemetry/api";
import type { ReadableSpan } from "@opentelemetry/sdk-trace";
import { ProtoWriter } from "./proto-writer.ts";

/** A field's tag: its number in the published `.proto` files, and its wire type. */
const varint = (field: number): number => field * 8;
const fixed64 = (field: number): number => field * 8 + 1;
const bytes = (field: number): number => field * 8 + 2;
const fixed32 = (field: number): number => field * 8 + 5;

/** Flags of a span beside those of its trace: whether it is known, and whether it is true, that the parent is remote. */
const REMOTE_KNOWN = 256;
const REMOTE = 512;

/** Encodes spans as an ExportTraceServiceRequest of OTLP: a third of the time of the SDK's encoder, which runs twice over each span. */
export const encodeSpans = (spans: readonly ReadableSpan[]): Uint8Array => {
  writer.clear();
  for (const ofResource of groups(spans, ({ resource }) => resource)) {
    const [{ resource }] = ofResource;
    const resourceSpans = writer.begin(bytes(1));
    const start = writer.begin(bytes(1));
    writeAttributes(bytes(1), resource.attributes);
    writer.end(start);
    for (const ofScope of groups(ofResource, ({ instrumentationScope }) => instrumentationScope))
      writeScope(ofScope);
    if (resource.schemaUrl !== undefined) writer.text(bytes(3), resource.schemaUrl);
    writer.end(resourceSpans);
  }
  return writer.copy();
};

/** One for all exports, which are synchronous. */
const writer = new ProtoWriter();

type Group = readonly [ReadableSpan, ...ReadableSpan[]];

const groups = (spans: readonly ReadableSpan[], part: (span: ReadableSpan) => object): Iterable<Group> =>
  Map.groupBy(spans, part).values() as Iterable<Group>; // a group has at least the span that made it

const writeScope = (spans: Group): void => {
  const { name, version, schemaUrl } = spans[0].instrumentationScope;
  const scopeSpans = writer.begin(bytes(2));
  const scope = writer.begin(bytes(1));
  writer.text(bytes(1), name);
  if (version !== undefined) writer.text(bytes(2), version);
  writer.end(scope);
  for (const span of spans) {
    const start = writer.begin(bytes(2));
    writeSpan(span);
    writer.end(start);
  }
  if (schemaUrl !== undefined) writer.text(bytes(3), schemaUrl);
  writer.end(scopeSpans);
};

const writeSpan = (span: ReadableSpan): void => {
  const context = span.spanContext();
  const parent = span.parentSpanContext;
  writeIds(context);
  if (parent !== undefined) writer.hex(bytes(4), parent.spanId);
  writer.text(bytes(5), span.name);
  writer.varint(varint(6));
  writer.varint(span.kind + 1);
  writer.varint(fixed64(7));
  writer.nanos(span.startTime);
  writer.varint(fixed64(8));
  writer.nanos(span.endTime);
  writeAttributes(bytes(9), span.attributes);
  writeCount(10, span.droppedAttributesCount);
  for (const event of span.events) {
    const start = writer.begin(bytes(11));
    writer.varint(fixed64(1));
    writer.nanos(event.time);
    writer.text(bytes(2), event.name);
    if (event.attributes !== undefined) writeAttributes(bytes(3), event.attributes);
    writeCount(4, event.droppedAttributesCount ?? 0);
    writer.end(start);
  }
  writeCount(12, span.droppedEventsCount);
  for (const link of span.links) {
    const start = writer.begin(bytes(13));
    writeIds(link.context);
    if (link.attributes !== undefined) writeAttributes(bytes(4), link.attributes);
    writer.end(start);
  }
  writeCount(14, span.droppedLinksCount);
  const { code, message = "" } = span.status;
  if (code !== 0 || message !== "") {
    const start = writer.begin(bytes(15));
    if (message !== "") writer.text(bytes(2), message);
    writer.varint(varint(3));
    writer.varint(code);
    writer.end(start);
  }
  writer.varint(fixed32(16));
  writer.fixed32((context.traceFlags & 255) | REMOTE_KNOWN | (parent?.isRemote === true ? REMOTE : 0));
};

/** A span and a link begin with the same three fields. */
const writeIds = ({ traceId, spanId, traceState }: SpanContext): void => {
  writer.hex(bytes(1), traceId);
  writer.hex(bytes(2), spanId);
  const state = traceState?.serialize() ?? "";
  if (state !== "") writer.text(bytes(3), state);
};

const writeCount = (field: number, count: number): void => {
  if (count === 0) return;
  writer.varint(varint(field));
  writer.varint(count);
};

const writeAttributes = (tag: number, attributes: Attributes): void => {
  for (const name of Object.keys(attributes)) {
    const value = attributes[name];
    if (value === undefined) continue;
    const pair = writer.begin(tag);
    writer.text(bytes(1), name);
    const start = writer.begin(bytes(2));
    writeValue(value);
    writer.end(start);
    writer.end(pair);
  }
};

/** An AnyValue; `null` is an empty one. */
const writeValue = (value: AttributeValue): void => {
  if (typeof value === "string") writer.text(bytes(1), value);
  else if (typeof value === "boolean") {
    writer.varint(varint(2));
    writer.varint(value ? 1 : 0);
  } else if (typeof value === "number") writeNumber(value);
  else if (Array.isArray(value)) {
    const list = writer.begin(bytes(5));
    for (const each of value) {
      const start = writer.begin(bytes(1));
      writeValue(each);
      writer.end(start);
    }
    writer.end(list);
  } else if (value instanceof Uint8Array) {
    writer.varint(bytes(7));
    writer.bytes(value);
  } else if (typeof value === "object" && value !== null) {
    const map = writer.begin(bytes(6));
    writeAttributes(bytes(1), value as Attributes);
    writer.end(map);
  }
};

const writeNumber = (value: number): void => {
  if (Number.isSafeInteger(value)) {
    writer.varint(varint(3));
    writer.int64(value);
  } else {
    writer.varint(fixed64(4));
    writer.double(value);
  }
};
