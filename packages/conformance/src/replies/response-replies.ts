import fc from "fast-check";
import { BodyStream } from "@framework/core/feature";
import type { Reply } from "@framework/core/testing";

/** A reply and its request as data: the handler's return value, to be compared with what the client receives. */
export interface ReplyCase {
  readonly method: "GET" | "HEAD" | "POST";
  readonly status: number;
  /** Names and values of fields, alternating. */
  readonly fields: readonly string[];
  readonly body: ReplyBody;
  /** Whether the handler returns a promise. */
  readonly isAsync: boolean;
}

/** Body of a reply; `breaksAfter` is the number of chunks after which a stream fails. */
export interface ReplyBody {
  readonly kind: "none" | "text" | "bytes" | "stream" | "stream of known length";
  readonly chunks: readonly string[];
  readonly breaksAfter?: number;
}

const name = fc.oneof(
  fc.constantFrom(
    "content-type",
    "Cache-Control",
    "set-cookie",
    "Set-Cookie",
    "Location",
    "x",
    "VARY",
    "__proto__",
    "etag",
  ),
  fc
    .string({ unit: fc.constantFrom(..."!#$%&'*+-.^_`|~09AZaz".split("")), minLength: 1, maxLength: 20 })
    .map((text) => `x${text}`),
  fc.constantFrom("Content-Length", "transfer-encoding", "Date", "keep-alive", "Trailer", "Upgrade", "TE"),
);
const value = fc.oneof(
  fc.constantFrom(
    "",
    "a",
    "a, b",
    "text/html; charset=utf-8",
    'W/"x"',
    "close",
    "chunked",
    "5",
    "=?utf-8?q?x?=",
  ),
  fc.string({
    unit: fc
      .integer({ min: 0x20, max: 0xff })
      .filter((code) => code !== 0x7f)
      .map((code) => String.fromCharCode(code)),
    maxLength: 40,
  }),
);
const chunk = fc.oneof(
  fc.string({ maxLength: 20 }),
  fc.string({ unit: "grapheme", maxLength: 10 }),
  fc.constantFrom(
    "",
    "0\r\n\r\n",
    "HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n",
    "x".repeat(5000),
    "ü".repeat(70_000),
  ),
);
const body: fc.Arbitrary<ReplyBody> = fc.oneof(
  fc.constant({ kind: "none" as const, chunks: [] }),
  fc.record({
    kind: fc.constantFrom("text" as const, "bytes" as const),
    chunks: fc.array(chunk, { maxLength: 2 }),
  }),
  fc.record({
    kind: fc.constantFrom("stream" as const, "stream of known length" as const),
    chunks: fc.array(chunk, { maxLength: 4 }),
  }),
  fc.record({
    kind: fc.constantFrom("stream" as const, "stream of known length" as const),
    chunks: fc.array(chunk, { minLength: 1, maxLength: 3 }),
    breaksAfter: fc.nat(3),
  }),
);

/** Replies of every kind that a handler may return. */
export const replyCase: fc.Arbitrary<ReplyCase> = fc.record({
  method: fc.constantFrom("GET", "GET", "HEAD", "POST"),
  status: fc.oneof(
    fc.constantFrom(200, 201, 204, 205, 206, 301, 304, 404, 500, 503),
    fc.integer({ min: 200, max: 599 }),
  ),
  fields: fc.array(fc.tuple(name, value), { maxLength: 6 }).map((pairs) => pairs.flat()),
  body,
  isAsync: fc.boolean(),
});

/** Returns the bytes of a complete body. */
export const bytesOf = ({ chunks }: ReplyBody): Uint8Array => new TextEncoder().encode(chunks.join(""));

/** Creates the reply of a case, with a new payload. */
export const toReply = ({
  status,
  fields,
  body: given,
}: Pick<ReplyCase, "status" | "fields" | "body">): Reply => ({
  status,
  fields: () => fields,
  payload: toPayload(given),
});

const toPayload = (given: ReplyBody): Reply["payload"] => {
  const { kind, chunks } = given;
  if (kind === "none") return null;
  if (kind === "text") return chunks.join("");
  if (kind === "bytes") return bytesOf(given);
  return new BodyStream(
    pieces(given),
    kind === "stream" ? null : chunks.reduce((sum, text) => sum + new TextEncoder().encode(text).length, 0),
  );
};

async function* pieces({ chunks, breaksAfter }: ReplyBody): AsyncGenerator<Uint8Array> {
  for (const [index, text] of chunks.entries()) {
    if (index === breaksAfter) throw new Error("the source broke");
    yield new TextEncoder().encode(text);
  }
  if (breaksAfter !== undefined && breaksAfter >= chunks.length)
    throw new Error("the source broke at its end");
}
