import {
  explainedBy,
  type AddsRouteOptions,
  addVary,
  BodyStream,
  type ConfigInput,
  type Feature,
  type ImpliedReply,
  mapOutput,
  readyBody,
  type RouteOption,
  waitsOnce,
} from "@framework/core/feature";
import { type Awaitable, HttpError, type HttpRequest, type Middleware, type Response } from "@framework/core";
import { codedTag, negotiateEncoding, parseTagList, plainTag, toWeakTag } from "@framework/core/http";
import { codedBody } from "./coded-chunks.ts";
import { type Coder, coders } from "./coders.ts";
import {
  bodyLength,
  canBeCoded,
  digestFields,
  isCompressible,
  hasNoTransform,
  isPart,
} from "./compressible.ts";
import { CompressionConfig, type Encoding, levelProblems } from "./compression-config.ts";
import { withReasons } from "./compression-reasons.ts";
import { type CompressionCounters, compressionCounters } from "./compression-counters.ts";

/** Route options that the feature adds. */
export interface CompressionRouteOptions {
  /** `false` sends replies of this route uncompressed. */
  readonly compress?: boolean;
}

/** The methods that the feature adds to an app. */
export interface Compression extends AddsRouteOptions<CompressionRouteOptions> {
  /**
   * Compresses replies for clients that accept it.
   *
   * @param minSize minimum number of bytes in a body, or a whole configuration. @default 1024
   * @throws CORE_BAD_CONFIG at start, together with all other configuration errors
   */
  enableCompression(minSize?: number | ConfigInput<CompressionConfig>): this;
}

/**
 * Compresses replies in the content coding that the client prefers (RFC 9110 8.4.1); `compress: false` on a route disables it.
 *
 * @example
 * const app = new (App.with(compression))().enableCompression({ encodings: ["zstd", "br", "gzip"] });
 */
export const compression: Feature<Compression> = {
  name: "compression",
  install: (host) => {
    const option = host.http.routeOption("compress", (value) =>
      typeof value === "boolean" ? null : "must be true or false",
    );
    return {
      enableCompression(given) {
        const input = typeof given === "number" ? { minSize: given } : given;
        const config = host.configure(CompressionConfig, input);
        for (const problem of levelProblems(config, input)) host.problem(problem);
        const counts = compressionCounters(config.encodings);
        const { reasons } = host.insight;
        const coding = compress(config, counts, option);
        host.http.impliesReplies((route) => (option.of(route) === false ? [] : [notAcceptable]));
        host.http.use(
          "compression",
          explainedBy(waitsOnce(coding), withReasons(coding, config, option, reasons)),
        );
        host.insight.expose("compression", () => counts.snapshot());
        for (const metric of counts.metrics) host.insight.metric(metric);
        return this;
      },
    };
  },
};

const notAcceptable: ImpliedReply = {
  status: 406,
  description: "The client accepts neither the plain body nor one of the codings.",
};

const compress = (
  config: CompressionConfig,
  counts: CompressionCounters,
  option: RouteOption<boolean>,
): Middleware<HttpRequest, Response> => {
  const byName = coders(config);
  const compressReply = (reply: Response, request: HttpRequest): Awaitable<Response> => {
    if (option.of(request.endpoint) === false) return reply;
    const ready = reply.payload instanceof BodyStream ? readyBody(reply) : null;
    return ready === null ? codeReply(reply, request) : ready.then((whole) => codeReply(whole, request));
  };
  const codeReply = (reply: Response, request: HttpRequest): Awaitable<Response> => {
    const shrinks = isCompressible(reply);
    const isCodable = reply.status === 304 || canBeCoded(reply, request);
    if (shrinks || isCodable || isPart(reply)) addVary(reply.headers, "Accept-Encoding"); // a client that refuses identity gets any body encoded
    if (!isCodable) return reply;
    const field = request.getHeader("accept-encoding");
    const coding = negotiateEncoding(field, hasNoTransform(reply.headers) ? [] : config.encodings);
    if (reply.status === 304) return withStoredTag(request, reply, coding);
    if (coding === null) return reply.ok ? refuse(reply) : reply; // an error is sent uncompressed
    if (coding === "identity") return reply;
    const isForced = negotiateEncoding(field, []) === null;
    if (!isForced && !(shrinks && isWorthIt(reply, config))) return reply;
    const counters = request.method === "HEAD" ? null : counts; // a reply to HEAD has the fields of GET, but sends no body
    return code(reply, coding as Encoding, byName[coding as Encoding], counters, isForced);
  };
  return function compress(request, next) {
    return mapOutput(next(request), compressReply, request);
  };
};

/**
 * Sets the tag of a 304 to that of the reply that the client has stored: caches ignore a 304 with another strong tag (RFC 9111 4.3.4), and the tag of a
 * compressed reply names its coding. If the request names no tag, it is unknown whether that reply was compressed, and the tag becomes weak.
 */
const withStoredTag = (request: HttpRequest, reply: Response, coding: string | null): Response => {
  const { headers } = reply;
  const tag = headers.get("etag");
  if (tag === null || toWeakTag(tag) === tag) return reply;
  const field = request.getHeader("if-none-match");
  const held = field === null ? null : parseTagList(field);
  if (held === null || held === "*") {
    if (coding !== "identity") headers.set("etag", toWeakTag(tag));
    return reply;
  }
  const ofCoding = coding === null || coding === "identity" ? tag : codedTag(tag, coding as Encoding);
  const named =
    [ofCoding, tag].find((each) => held.includes(each)) ?? held.find((each) => isSameState(tag, each));
  if (named !== undefined) headers.set("etag", named);
  return reply;
};

/** Whether a client's tag identifies the same state as a strong tag, although it names another coding or a proxy has made it weak. */
const isSameState = (tag: string, held: string): boolean => toWeakTag(plainTag(held)) === toWeakTag(tag);

/** Throws a 406 with the reply's fields that describe the exchange rather than the body: quotas, cache status, `Vary`. */
const refuse = ({ headers, payload }: Response): never => {
  if (payload instanceof BodyStream) void payload.cancel().catch(() => {}); // the body is not read, so its error is irrelevant
  throw new HttpError(406, "No content coding of this server is acceptable, nor is identity", {
    headers: Object.fromEntries([...headers].filter(([name]) => !OMITTED_FROM_406.test(name))),
  });
};

/** Fields that a 406 omits: representation fields (RFC 9110 8), freshness fields, and cookies, which cannot be joined into one line. */
const OMITTED_FROM_406 =
  /^(?:content-.*|repr-digest|etag|last-modified|accept-ranges|cache-control|expires|age|set-cookie)$/;

const isWorthIt = (reply: Response, { minSize, streams }: CompressionConfig): boolean => {
  const length = bodyLength(reply);
  return length === null ? streams : length >= minSize;
};

const code = (
  reply: Response,
  coding: Encoding,
  coder: Coder,
  counts: CompressionCounters | null,
  isForced: boolean,
): Response | Promise<Response> => {
  const { payload } = reply;
  if (payload === null) return withUnknownLength(reply);
  if (payload instanceof BodyStream) {
    reply.payload = codedBody(payload, coder);
    counts?.add(coding, 0, 0);
    return withCodingFields(reply, coding);
  }
  const body = typeof payload === "string" ? Buffer.from(payload) : payload;
  return coder.whole(body).then((coded) => {
    if (coded.byteLength >= body.byteLength && !isForced) return reply;
    reply.payload = coded;
    counts?.add(coding, body.byteLength, coded.byteLength);
    return withCodingFields(reply, coding);
  });
};

const withCodingFields = (reply: Response, coding: Encoding): Response => {
  const { headers } = reply;
  headers.set("content-encoding", coding);
  const tag = headers.get("etag");
  if (tag !== null) headers.set("etag", codedTag(tag, coding));
  return withoutPlainFields(reply);
};

/**
 * Prepares the reply to a HEAD whose handler stated the length of the plain body. Only the body shows whether the reply to GET is compressed, since it may
 * shrink too little: the coding is left out (RFC 9110 9.3.2), and the tag is weak. An empty stream represents the unknown length.
 */
const withUnknownLength = (reply: Response): Response => {
  reply.payload = new BodyStream(noChunks());
  const tag = reply.headers.get("etag");
  if (tag !== null) reply.headers.set("etag", toWeakTag(tag));
  return withoutPlainFields(reply);
};

async function* noChunks(): AsyncGenerator<Uint8Array> {}

/** A compressed body has another length and digest, and no byte ranges. */
const withoutPlainFields = (reply: Response): Response => {
  const { headers } = reply;
  addVary(headers, "Accept-Encoding");
  headers.delete("content-length");
  headers.delete("accept-ranges");
  for (const name of digestFields) headers.delete(name); // present only if the client refuses the plain body
  return reply;
};
