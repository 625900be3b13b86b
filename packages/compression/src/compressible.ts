import type { HttpRequest, Response } from "@framework/core";
import { payloadLength } from "@framework/core/feature";

/** Compressible media types: text and text-based formats. Images, videos and archives are compressed already. */
const TEXTUAL =
  /^(?:text\/.+|application\/(?:json|javascript|ecmascript|xml|graphql|x-javascript|manifest\+json|openmetrics-text)|image\/svg\+xml|.+\+(?:json|xml))$/;

/** Fields with a digest of the body as sent, which differs for each encoding (RFC 9530; `Content-MD5` is its predecessor). */
export const digestFields: readonly string[] = ["content-digest", "repr-digest", "content-md5"];

/** Whether `no-transform` forbids changing the body (RFC 9111 5.2.2.6), whatever the client accepts. */
export const hasNoTransform = (headers: Response["headers"]): boolean =>
  /(?:^|[\s,])no-transform(?:$|[\s,])/i.test(headers.get("cache-control") ?? "");

/** Whether this reply could be compressed for another client, by its type and fields. */
export const isCompressible = ({ headers, status }: Response): boolean => {
  if (status === 206 || headers.has("content-encoding") || headers.has("content-range")) return false;
  if (digestFields.some((name) => headers.has(name))) return false;
  if (hasNoTransform(headers)) return false;
  if (status === 304) return true; // the stored reply may be compressed
  const [type = ""] = (headers.get("content-type") ?? "").split(";", 1);
  return TEXTUAL.test(type.trim().toLowerCase());
};

/** Whether the reply has a whole, unencoded body, or is a reply to HEAD that states the length of such a body. */
export const canBeCoded = (reply: Response, { method }: Pick<HttpRequest, "method">): boolean => {
  if (bodylessStatuses.includes(reply.status) || reply.headers.has("content-encoding")) return false;
  return reply.payload !== null || (method === "HEAD" && bodyLength(reply) !== null);
};

/** Whether the reply is a range of an unencoded body. Its `Vary` equals that of the whole body (RFC 9110 15.3.7). */
export const isPart = ({ status, headers }: Response): boolean =>
  status === 206 && !headers.has("content-encoding");

/** Returns the bytes of the body, or the `Content-Length` of a reply without a body; `null` if unknown. */
export const bodyLength = ({ payload, headers }: Response): number | null => {
  if (payload !== null) return payloadLength(payload);
  const stated = headers.get("content-length");
  return stated !== null && /^\d{1,15}$/.test(stated) ? Number(stated) : null;
};

/** Statuses of replies without a body, and 206, whose range cannot be located in an encoded body. */
const bodylessStatuses: readonly number[] = [101, 204, 205, 206, 304];
