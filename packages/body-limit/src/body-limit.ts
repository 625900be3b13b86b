import {
  explainedBy,
  type ConfigInput,
  type Feature,
  unusedFields,
  waitsOnce,
} from "@framework/core/feature";
import {
  type HttpRequest,
  type Middleware,
  PayloadTooLargeError,
  type Response,
  UnsupportedMediaTypeError,
} from "@framework/core";
import { type BodyEncoding, BodyLimitConfig } from "./body-limit-config.ts";
import { withReasons } from "./limit-reasons.ts";
import { decodedChunks } from "./decoded-chunks.ts";

/** The methods that the feature adds to an app. */
export interface BodyLimiting {
  /**
   * Rejects request bodies above a size with 413.
   *
   * @param maxBodyBytes bytes, or a whole configuration. @default 10485760
   * @throws CORE_BAD_CONFIG at start, together with all other configuration errors
   */
  enableBodyLimit(maxBodyBytes?: number | ConfigInput<BodyLimitConfig>): this;
}

/**
 * Limits the size of request bodies: a declared length above the limit is rejected before the body is read, any other body as soon as it exceeds the limit.
 *
 * @example
 * const app = new (App.with(bodyLimit))().enableBodyLimit({ maxBodyBytes: 1_000_000, decode: ["gzip"] });
 */
export const bodyLimit: Feature<BodyLimiting> = {
  name: "body-limit",
  install: (host) => ({
    enableBodyLimit(given) {
      const input = typeof given === "number" ? { maxBodyBytes: given } : given;
      const config = host.configure(BodyLimitConfig, input);
      if ((input?.decode ?? []).length === 0)
        for (const problem of unusedFields(BodyLimitConfig, input, ["maxRatio"], "decode"))
          host.problem(problem);
      const limiting = limitBodies(config);
      const { reasons } = host.insight;
      host.http.use("body-limit", explainedBy(waitsOnce(limiting), withReasons(limiting, config, reasons)));
      return this;
    },
  }),
};

const limitBodies = (config: BodyLimitConfig): Middleware<HttpRequest, Response> => {
  const { maxBodyBytes, maxRatio } = config;
  const accepted = new Set<string>(config.decode);
  const acceptedList = accepted.size === 0 ? "identity" : [...accepted].join(", ");
  return function limitBodies(request, next) {
    const limit = request.endpoint?.options.maxBodyBytes ?? maxBodyBytes;
    const { contentLength } = request;
    if (contentLength === 0) return next(request);
    if (contentLength !== null && contentLength > limit) throw new PayloadTooLargeError(limit);
    request.limitBody(maxBodyBytes);
    const coding = codingOf(request);
    if (coding === null) return next(request);
    if (!accepted.has(coding)) throw unsupported(coding, acceptedList);
    request.decodeBody((chunks) =>
      decodedChunks(chunks, coding as BodyEncoding, { maxBodyBytes: limit, maxRatio }),
    );
    return next(request);
  };
};

/** Returns the coding of a body; `null` for none. A list of several counts as one unsupported coding. */
const codingOf = (request: HttpRequest): string | null => {
  const field = request.getHeader("content-encoding")?.trim().toLowerCase() ?? "";
  if (field === "" || field === "identity") return null;
  return field === "x-gzip" ? "gzip" : field;
};

/** RFC 9110 15.5.16: the reply should list the accepted codings. */
const unsupported = (coding: string, acceptedList: string): UnsupportedMediaTypeError =>
  new UnsupportedMediaTypeError(
    `The request body has the Content-Encoding ${/^[\w-]{1,20}$/.test(coding) ? coding : "(malformed)"}, but this server accepts ${acceptedList}`,
    { headers: { "accept-encoding": acceptedList } },
  );
