import fc from "fast-check";
import type { ReplyCase } from "../replies/response-replies.ts";

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
  readonly reply: Pick<ReplyCase, "status" | "fields" | "body">;
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

const chunk = fc
  .tuple(fc.constantFrom("a", "b", "c", "d", "e", "f"), size)
  .map(([letter, length]) => letter.repeat(length));
const chunks = fc.array(chunk, { maxLength: 4 });
const streamed = fc.constantFrom("stream" as const, "stream of known length" as const);
const body = fc.oneof(
  fc.constant({ kind: "none" as const, chunks: [] }),
  fc.record({ kind: fc.oneof(fc.constantFrom("text" as const, "bytes" as const), streamed), chunks }),
  fc
    .record({ kind: streamed, chunks })
    .map((given) => ({ ...given, chunks: [...given.chunks, "x"], breaksAfter: given.chunks.length })), // a client sees that the last byte is missing
);
const reply = fc.record({
  status: fc.oneof(fc.constant(200), fc.constantFrom(201, 204, 304, 404, 500, 503)),
  fields: fc
    .uniqueArray(fc.tuple(fc.constantFrom("x-four", "x-five", "etag", "vary"), value), {
      selector: ([name]) => name,
      maxLength: 3,
    })
    .map((pairs) => pairs.flat()),
  body,
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
  exchange.reply.body.breaksAfter !== undefined && !isBodiless(exchange);
