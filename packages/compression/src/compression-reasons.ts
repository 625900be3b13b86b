import type { Endpoint, HttpRequest, Middleware, Response } from "@framework/core";
import {
  type DecisionReasons,
  mapAwaitable,
  payloadLength,
  readyBody,
  type RouteOption,
} from "@framework/core/feature";
import { negotiateEncoding } from "@framework/core/http";
import { bodyLength, canBeCoded, digestFields, isCompressible, hasNoTransform } from "./compressible.ts";
import type { CompressionConfig } from "./compression-config.ts";

/** Wraps the compressing middleware to report the reason of each decision, while a tool observes requests. */
export const withReasons =
  (
    compress: Middleware<HttpRequest, Response>,
    config: CompressionConfig,
    option: Pick<RouteOption<boolean>, "of">,
    reasons: DecisionReasons,
  ): Middleware<HttpRequest, Response> =>
  (request, next) => {
    let before: number | null = null;
    const explain = (reply: Response): Response => {
      before = payloadLength(reply.payload);
      const skipped = whySkipped(request, reply, config, isOff(option, request.endpoint));
      if (skipped !== null) reasons.give(request, skipped);
      return reply;
    };
    const compressed = compress(request, (input) =>
      mapAwaitable(next(input), (reply) => mapAwaitable(readyBody(reply) ?? reply, explain)),
    );
    return mapAwaitable(compressed, (reply) => {
      const coding = reply.headers.get("content-encoding");
      const after = payloadLength(reply.payload);
      if (coding !== null && before !== null && after !== null && after !== before)
        reasons.give(request, `${coding}: ${before} bytes became ${after}`);
      return reply;
    });
  };

const isOff = (option: Pick<RouteOption<boolean>, "of">, endpoint: Endpoint | null): boolean =>
  option.of(endpoint) === false;

/** Returns the reason why a reply is sent uncompressed; `null` if it is passed to the encoder. */
const whySkipped = (
  request: HttpRequest,
  reply: Response,
  { minSize, encodings, streams }: CompressionConfig,
  isOffHere: boolean,
): string | null => {
  if (isOffHere) return "the route has compress: false";
  if (!canBeCoded(reply, request))
    return reply.headers.has("content-encoding")
      ? "the reply is encoded already"
      : `the ${reply.status} reply has no complete body`;
  const field = request.getHeader("accept-encoding");
  const coding = negotiateEncoding(field, encodings);
  if (coding === "identity" || coding === null)
    return field === null
      ? "the request has no Accept-Encoding"
      : `the client does not prefer ${encodings.join(", ")}: Accept-Encoding is ${JSON.stringify(field.slice(0, 100))}`;
  if (hasNoTransform(reply.headers)) return "Cache-Control has no-transform";
  if (negotiateEncoding(field, []) === null) return null; // the client refuses the plain body
  if (!isCompressible(reply)) return notCompressible(reply);
  const length = bodyLength(reply);
  if (length === null) return streams ? null : "the length is unknown, and streams is false";
  if (length < minSize) return `${length} bytes are less than minSize ${minSize}`;
  return reply.payload === null ? "the compressed length is unknown without the body" : null;
};

const notCompressible = ({ headers }: Response): string => {
  const digest = digestFields.find((name) => headers.has(name));
  if (digest !== undefined) return `${digest} is a digest of the plain body`;
  return `${headers.get("content-type") ?? "a body without a type"} is not compressible`;
};
