import fc from "fast-check";
import type { ReplyCase } from "../replies/response-replies.ts";

/** A request with the behaviour of app and client, as data, so that a failure can be repeated. Delays are in turns of the event loop. */
export interface RandomExchange {
  readonly method: "GET" | "HEAD" | "POST" | "DELETE" | "PROPFIND";
  readonly fields: readonly (readonly [name: string, value: string])[];
  /** Sizes of the writes of the request's body, in bytes. */
  readonly writes: readonly number[];
  /** Whether the request declares the length of its body. */
  readonly declaresLength: boolean;
  /** Delay of the client before the body. */
  readonly bodyDelay: number;
  /** Whether the app reads the body before it replies. */
  readonly readsBody: boolean;
  /** Delay of the app before it reads or replies. */
  readonly handlerDelay: number;
  readonly reply: Pick<ReplyCase, "status" | "fields" | "body">;
  /** Delay of the client before it disconnects. */
  readonly disconnectDelay: number;
  readonly disconnectPhase: "in its request" | "before its reply" | "in its reply" | null;
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
    .map((given) => ({ ...given, chunks: [...given.chunks, "x"], breaksAfter: given.chunks.length })), // so that the last byte is missing, which a client detects
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
    declaresLength: fc.boolean(),
    bodyDelay: pause,
    readsBody: fc.oneof(
      { weight: 3, arbitrary: fc.constant(true) },
      { weight: 1, arbitrary: fc.constant(false) },
    ),
    handlerDelay: pause,
    reply,
    disconnectDelay: pause,
    disconnectPhase: fc.oneof(
      { weight: 3, arbitrary: fc.constant(null) },
      { weight: 1, arbitrary: fc.constantFrom("in its request", "before its reply", "in its reply") },
    ),
  })
  .map((given) => (given.method === "POST" ? given : { ...given, writes: [], declaresLength: false }));

/** The exchanges of one connection. */
export const exchanges: fc.Arbitrary<RandomExchange[]> = fc.array(exchange, { minLength: 1, maxLength: 12 });

/** Whether the reply has no body for the client, even if the app sends one. */
export const isBodiless = ({ method, reply: { status } }: RandomExchange): boolean =>
  method === "HEAD" || status === 204 || status === 304;

/** Whether the client must not treat the reply as complete. */
export const isBroken = (exchange: RandomExchange): boolean =>
  exchange.reply.body.breaksAfter !== undefined && !isBodiless(exchange);
