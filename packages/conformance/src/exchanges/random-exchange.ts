import { BodyStream } from "@framework/core/feature";
import type { Reply } from "@framework/core/testing";
import fc from "fast-check";

/** A reply as data. */
export interface RandomReply {
  readonly status: number;
  /** `[name, value]`, in lower case. */
  readonly fields?: readonly (readonly [name: string, value: string])[];
  readonly kind: "none" | "text" | "bytes" | "stream" | "stream of known length";
  /** Bytes of its chunks. */
  readonly sizes: readonly number[];
  /** Makes a stream fail after that many chunks. */
  readonly breaksAfter?: number;
}

/** A request, what the app does with it, and what the client does: data, so that a failure can be repeated. Waits are turns of the event loop. */
export interface RandomExchange {
  readonly method: "GET" | "HEAD" | "POST" | "DELETE" | "PROPFIND";
  readonly fields: readonly (readonly [name: string, value: string])[];
  /** Bytes of the writes of the request's body. */
  readonly writes: readonly number[];
  /** Whether the request has the length of its body. */
  readonly declares: boolean;
  /** How long the client waits before the body. */
  readonly begins: number;
  /** Whether the app reads the body before it replies. */
  readonly reads: boolean;
  /** How long the app waits first. */
  readonly thinks: number;
  readonly reply: RandomReply;
  /** How long the client waits before it leaves. */
  readonly waits: number;
  readonly leaves: "in its request" | "before its reply" | "in its reply" | null;
}

const size = fc.oneof(fc.nat(40), fc.nat(5000), fc.nat(100_000));
const value = fc
  .string({
    unit: fc.integer({ min: 0x21, max: 0x7e }).map((code) => String.fromCharCode(code)),
    maxLength: 60,
  })
  .map((text) => `v${text}`);
const fields = fc.uniqueArray(
  fc.tuple(fc.constantFrom("x-one", "x-two", "x-three", "accept", "user-agent", "traceparent"), value),
  { selector: ([name]) => name, maxLength: 4 },
);
const pause = fc.oneof(fc.constant(0), fc.nat(3), fc.nat(30));

const reply: fc.Arbitrary<RandomReply> = fc
  .record({
    status: fc.oneof(fc.constant(200), fc.constantFrom(201, 204, 304, 404, 500, 503)),
    fields: fc.uniqueArray(fc.tuple(fc.constantFrom("x-four", "x-five", "etag", "vary"), value), {
      selector: ([name]) => name,
      maxLength: 3,
    }),
    kind: fc.constantFrom("none", "text", "bytes", "stream", "stream of known length"),
    sizes: fc.array(size, { maxLength: 4 }),
    broken: fc.oneof(
      { weight: 4, arbitrary: fc.constant(false) },
      { weight: 1, arbitrary: fc.constant(true) },
    ),
  })
  .map(({ broken, ...given }): RandomReply => {
    const isStream = given.kind === "stream" || given.kind === "stream of known length";
    if (!broken || !isStream || given.sizes.length === 0) return given;
    const sizes = [...given.sizes.slice(0, -1), (given.sizes.at(-1) ?? 0) + 1]; // a client sees the failure, as a byte is missing
    return { ...given, sizes, breaksAfter: sizes.length - 1 };
  });

const exchange: fc.Arbitrary<RandomExchange> = fc
  .record({
    method: fc.constantFrom("GET", "HEAD", "POST", "POST", "DELETE", "PROPFIND"),
    fields,
    writes: fc.array(size, { maxLength: 4 }),
    declares: fc.boolean(),
    begins: pause,
    reads: fc.oneof(
      { weight: 3, arbitrary: fc.constant(true) },
      { weight: 1, arbitrary: fc.constant(false) },
    ),
    thinks: pause,
    reply,
    waits: pause,
    leaves: fc.oneof(
      { weight: 3, arbitrary: fc.constant(null) },
      { weight: 1, arbitrary: fc.constantFrom("in its request", "before its reply", "in its reply") },
    ),
  })
  .map((given) => (given.method === "POST" ? given : { ...given, writes: [], declares: false }));

/** The exchanges of one connection. */
export const exchanges: fc.Arbitrary<RandomExchange[]> = fc.array(exchange, { minLength: 1, maxLength: 12 });

/** Whether the client gets no body, whatever the app gives. */
export const isBodiless = ({ method, reply: { status } }: RandomExchange): boolean =>
  method === "HEAD" || status === 204 || status === 304;

/** Whether the client must not take the reply for complete. */
export const breaks = (exchange: RandomExchange): boolean =>
  exchange.reply.breaksAfter !== undefined && !isBodiless(exchange);

/** The bytes of a complete body: of each exchange others. */
export const replyBytes = ({ kind, sizes }: RandomReply, at: number): Buffer =>
  kind === "none" ? Buffer.alloc(0) : Buffer.concat(sizes.map((length) => chunkOf(length, at)));

/** The reply as an app gives it, with a new payload. */
export const replyOf = (given: RandomReply, at: number): Reply => ({
  status: given.status,
  fields: () => (given.fields ?? []).flat(),
  payload: toPayload(given, at),
});

/** Letters, so that text and bytes are the same. */
const chunkOf = (length: number, at: number): Buffer => Buffer.alloc(length, 97 + (at % 26));

const toPayload = (given: RandomReply, at: number): Reply["payload"] => {
  const { kind, sizes } = given;
  if (kind === "none") return null;
  if (kind === "text") return replyBytes(given, at).toString("latin1");
  if (kind === "bytes") return replyBytes(given, at);
  const length = sizes.reduce((sum, bytes) => sum + bytes, 0);
  return new BodyStream(chunksOf(given, at), kind === "stream" ? null : length);
};

async function* chunksOf({ sizes, breaksAfter }: RandomReply, at: number): AsyncGenerator<Uint8Array> {
  for (const [index, length] of sizes.entries()) {
    if (index === breaksAfter) throw new Error("the source broke");
    yield chunkOf(length, at);
  }
}
