// Decodes OTLP requests from their bytes (protobuf), with the field numbers of the published .proto files; shares no code with the SDK.

/** A message's fields by number: varints and fixed numbers as bigint, other values as bytes. */
type Fields = Map<number, (bigint | Uint8Array)[]>;

const fieldsOf = (bytes: Uint8Array): Fields => {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const fields: Fields = new Map();
  let at = 0;
  const varint = (): bigint => {
    let value = 0n;
    for (let shift = 0n; ; shift += 7n) {
      const byte = view.getUint8(at++);
      value |= BigInt(byte & 127) << shift;
      if (byte < 128) return value;
    }
  };
  const take = (length: number): Uint8Array => bytes.subarray(at, (at += length));
  while (at < bytes.length) {
    const tag = Number(varint());
    const wire = tag & 7;
    let value: bigint | Uint8Array;
    if (wire === 0) value = varint();
    else if (wire === 2) value = take(Number(varint()));
    else if (wire === 1 || wire === 5) value = take(wire === 1 ? 8 : 4);
    else throw new Error(`wire type ${wire}`);
    fields.set(tag >> 3, [...(fields.get(tag >> 3) ?? []), value]);
  }
  return fields;
};

const bytesOf = (fields: Fields, number: number): Uint8Array[] => (fields.get(number) ?? []) as Uint8Array[];
const messages = (fields: Fields, number: number): Fields[] => bytesOf(fields, number).map(fieldsOf);
const first = (fields: Fields, number: number): Fields => messages(fields, number)[0] ?? new Map();
const textOf = (fields: Fields, number: number): string =>
  new TextDecoder().decode(bytesOf(fields, number)[0] ?? new Uint8Array());
const hexOf = (fields: Fields, number: number): string =>
  Buffer.from(bytesOf(fields, number)[0] ?? new Uint8Array()).toString("hex");
const intOf = (fields: Fields, number: number): number =>
  Number((fields.get(number)?.[0] as bigint | undefined) ?? 0n);
const fixedOf = (bytes: Uint8Array | undefined): bigint =>
  bytes === undefined ? 0n : Buffer.from(bytes).readBigUInt64LE();
const doubleOf = (bytes: Uint8Array | undefined): number =>
  bytes === undefined ? 0 : Buffer.from(bytes).readDoubleLE();
const packed = (bytes: Uint8Array | undefined): Uint8Array[] =>
  Array.from({ length: (bytes?.length ?? 0) / 8 }, (_, at) =>
    (bytes as Uint8Array).subarray(at * 8, at * 8 + 8),
  );

export type Value = string | number | boolean | Value[] | null;
export type Values = Record<string, Value>;

const anyValue = (fields: Fields): Value => {
  if (fields.has(1)) return textOf(fields, 1);
  if (fields.has(2)) return intOf(fields, 2) === 1;
  if (fields.has(3)) return Number(BigInt.asIntN(64, fields.get(3)?.[0] as bigint));
  if (fields.has(4)) return doubleOf(bytesOf(fields, 4)[0]);
  if (fields.has(5)) return messages(first(fields, 5), 1).map(anyValue);
  if (fields.has(6))
    return messages(first(fields, 6), 1).map((pair) => [textOf(pair, 1), anyValue(first(pair, 2))]);
  if (fields.has(7)) return hexOf(fields, 7);
  return null;
};
const valuesOf = (fields: Fields, number: number): Values =>
  Object.fromEntries(messages(fields, number).map((pair) => [textOf(pair, 1), anyValue(first(pair, 2))]));

export interface ReceivedSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId: string;
  readonly traceState: string;
  readonly name: string;
  readonly kind: string;
  readonly startNanos: bigint;
  readonly endNanos: bigint;
  readonly attributes: Values;
  readonly events: readonly { readonly name: string; readonly attributes: Values }[];
  readonly links: readonly { readonly traceId: string; readonly spanId: string }[];
  readonly droppedLinks: number;
  /** 0 unset, 1 ok, 2 error. */
  readonly status: number;
  readonly statusMessage: string;
  readonly scope: string;
  readonly resource: Values;
}

const kinds = ["", "internal", "server", "client", "producer", "consumer"];

/** Decodes an ExportTraceServiceRequest. */
export const decodeSpans = (bytes: Uint8Array): ReceivedSpan[] =>
  messages(fieldsOf(bytes), 1).flatMap((ofResource) =>
    messages(ofResource, 2).flatMap((ofScope) =>
      messages(ofScope, 2).map((span) => ({
        traceId: hexOf(span, 1),
        spanId: hexOf(span, 2),
        traceState: textOf(span, 3),
        parentSpanId: hexOf(span, 4),
        name: textOf(span, 5),
        kind: kinds[intOf(span, 6)] ?? "",
        startNanos: fixedOf(bytesOf(span, 7)[0]),
        endNanos: fixedOf(bytesOf(span, 8)[0]),
        attributes: valuesOf(span, 9),
        events: messages(span, 11).map((event) => ({
          name: textOf(event, 2),
          attributes: valuesOf(event, 3),
        })),
        links: messages(span, 13).map((link) => ({ traceId: hexOf(link, 1), spanId: hexOf(link, 2) })),
        droppedLinks: intOf(span, 14),
        status: intOf(first(span, 15), 3),
        statusMessage: textOf(first(span, 15), 2),
        scope: textOf(first(ofScope, 1), 1),
        resource: valuesOf(first(ofResource, 1), 1),
      })),
    ),
  );

export interface ReceivedPoint {
  readonly attributes: Values;
  /** Value of a sum, number of observations of a histogram. */
  readonly value: number;
  readonly sum: number;
  readonly bounds: readonly number[];
  readonly counts: readonly number[];
}

export interface ReceivedMetric {
  readonly name: string;
  readonly unit: string;
  readonly resource: Values;
  readonly points: readonly ReceivedPoint[];
}

const numberPoint = (point: Fields): ReceivedPoint => ({
  attributes: valuesOf(point, 7),
  value: point.has(6)
    ? Number(BigInt.asIntN(64, fixedOf(bytesOf(point, 6)[0])))
    : doubleOf(bytesOf(point, 4)[0]),
  sum: 0,
  bounds: [],
  counts: [],
});
const histogramPoint = (point: Fields): ReceivedPoint => ({
  attributes: valuesOf(point, 9),
  value: Number(fixedOf(bytesOf(point, 4)[0])),
  sum: doubleOf(bytesOf(point, 5)[0]),
  counts: packed(bytesOf(point, 6)[0]).map((bytes) => Number(fixedOf(bytes))),
  bounds: packed(bytesOf(point, 7)[0]).map(doubleOf),
});

/** Decodes an ExportMetricsServiceRequest. */
export const decodeMetrics = (bytes: Uint8Array): ReceivedMetric[] =>
  messages(fieldsOf(bytes), 1).flatMap((ofResource) =>
    messages(ofResource, 2).flatMap((ofScope) =>
      messages(ofScope, 2).map((metric) => ({
        name: textOf(metric, 1),
        unit: textOf(metric, 3),
        resource: valuesOf(first(ofResource, 1), 1),
        points: [
          ...messages(first(metric, 5), 1).map(numberPoint),
          ...messages(first(metric, 7), 1).map(numberPoint),
          ...messages(first(metric, 9), 1).map(histogramPoint),
        ],
      })),
    ),
  );
