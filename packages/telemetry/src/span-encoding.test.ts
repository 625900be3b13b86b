import type { ReadableSpan } from "@opentelemetry/sdk-trace";
import { ProtobufTraceSerializer } from "@opentelemetry/otlp-transformer";
import { resourceFromAttributes } from "@opentelemetry/resources";
import { expect, test } from "@jest/globals";
import fc from "fast-check";
import { encodeSpans } from "./export/span-bytes.ts";
import { decodeSpans } from "./otlp-decoder.test-kit.ts";

const text = fc.string({ unit: "grapheme", maxLength: 200 }).filter((each) => each.isWellFormed());
const number = fc.oneof(fc.maxSafeInteger(), fc.double({ noNaN: true }), fc.integer({ min: -200, max: 200 }));
const { value } = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 2 },
    text,
    number,
    fc.boolean(),
    fc.uint8Array({ maxLength: 20 }),
    fc.array(tie("value"), { maxLength: 4 }),
    fc.dictionary(text, tie("value"), { maxKeys: 3, noNullPrototype: true }),
  ),
}));
const attributes = fc.dictionary(text, value, { maxKeys: 12, noNullPrototype: true });
const time = fc.tuple(fc.integer({ min: 0, max: 4_000_000_000 }), fc.integer({ min: 0, max: 999_999_999 }));
const digits = (length: number) =>
  fc
    .array(fc.constantFrom(...Array.from("0123456789abcdef")), { minLength: length, maxLength: length })
    .map((all) => all.join(""));
const context = fc.record({
  traceId: digits(32),
  spanId: digits(16),
  traceFlags: fc.constantFrom(0, 1),
  isRemote: fc.boolean(),
});
const count = fc.integer({ min: 0, max: 1000 });
const scopes = [{ name: "one" }, { name: "zwei", version: "2", schemaUrl: "https://schema.test/1" }];
const resources = ["one", "zwei"].map((name) =>
  resourceFromAttributes({ "service.name": name, ready: true }),
);

const span: fc.Arbitrary<ReadableSpan> = fc
  .record({
    name: text,
    kind: fc.integer({ min: 0, max: 4 }),
    context,
    parent: fc.option(context, { nil: undefined }),
    startTime: time,
    endTime: time,
    status: fc.record({ code: fc.constantFrom(0, 1, 2), message: text }),
    attributes,
    links: fc.array(fc.record({ context, attributes }), { maxLength: 2 }),
    events: fc.array(fc.record({ name: text, time, attributes, droppedAttributesCount: count }), {
      maxLength: 2,
    }),
    droppedAttributesCount: count,
    droppedEventsCount: count,
    droppedLinksCount: count,
    instrumentationScope: fc.constantFrom(...scopes),
    resource: fc.constantFrom(...resources),
  })
  .map(({ context: ids, parent, ...rest }) => ({
    ...rest,
    spanContext: () => ids,
    ...(parent !== undefined && { parentSpanContext: parent }),
    duration: [0, 0],
    ended: true,
  }));

test("encoded spans decode to the same values as with the SDK's encoder, for any texts, numbers and sizes", () => {
  fc.assert(
    fc.property(fc.array(span, { maxLength: 6 }), (spans) => {
      const expected = ProtobufTraceSerializer.serializeRequest(spans) ?? new Uint8Array();
      expect(decodeSpans(encodeSpans(spans))).toEqual(decodeSpans(expected));
    }),
    { numRuns: 60 },
  );
});

test("a batch larger than the initial buffer is complete", () => {
  const [one] = fc.sample(span, 1) as [ReadableSpan];
  const large = { ...one, attributes: { text: "ü".repeat(1024) } };
  const decoded = decodeSpans(encodeSpans(Array.from({ length: 500 }, () => large)));
  expect(decoded).toHaveLength(500);
  expect(new Set(decoded.map(({ attributes: { text: decodedText } }) => decodedText))).toEqual(
    new Set(["ü".repeat(1024)]),
  );
});

test("a link whose ids are not hexadecimal, or of another length, is dropped and counted, and does not damage the other spans of its batch", () => {
  const [one] = fc.sample(span, 1) as [ReadableSpan];
  const valid = { context: { traceId: "0".repeat(31) + "1", spanId: "0".repeat(15) + "1", traceFlags: 1 } };
  const withIds = (traceId: unknown, spanId: unknown) =>
    ({ context: { traceId, spanId, traceFlags: 1 } }) as ReadableSpan["links"][number];
  const links = [
    withIds("550e8400-e29b-41d4-a716-446655440000", "0000000000000001"),
    valid,
    withIds("abc", "0000000000000001"),
    withIds("0".repeat(31) + "1", "0000000000000001ff"), // a collector rejects other lengths
    withIds("", ""),
    withIds("a", 5),
  ];
  const linked = { ...one, links, droppedLinksCount: 2 };
  const expected = { ...one, links: [valid], droppedLinksCount: 7 };
  expect(decodeSpans(encodeSpans([linked, one]))).toEqual(decodeSpans(encodeSpans([expected, one])));
});
