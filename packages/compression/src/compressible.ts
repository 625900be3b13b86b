import type { HttpRequest, Response } from "@framework/core";
import { payloadLength } from "@framework/core/feature";

/** Compressible media types: text and similar ones. Images, videos and archives are compressed already. */
const TEXTUAL =
  /^(?:text\/.+|application\/(?:json|javascript|ecmascript|xml|graphql|x-javascript|manifest\+json|openmetrics-text)|image\/svg\+xml|.+\+(?:json|xml))$/;

/** Fields with a digest of the body as sent, which differs for each encoding (RFC 9530; `Content-MD5` is its predecessor). */
export const digestFields: readonly string[] = ["content-digest", "repr-digest", "content-md5"];

/** Whether the handler forbids to change the body (RFC 9111 5.2.2.6), whatever the client accepts. */
export const isFixed = (headers: Response["headers"]): boolean =>
  /(?:^|[\s,])no-transform(?:$|[\s,])/i.test(headers.get("cache-control") ?? "");

/** Whether this reply could be compressed for another client, by its type and fields. */
export const isCompressible = ({ headers, status }: Response): boolean => {
  if (status === 206 || headers.has("content-encoding") || headers.has("content-range")) return false;
  if (digestFields.some((name) => headers.has(name))) return false;
  if (isFixed(headers)) return false;
  if (status === 304) return true; // the stored reply may be compressed
  const [type = ""] = (headers.get("content-type") ?? "").split(";", 1);
  return TEXTUAL.test(type.trim().toLowerCase());
};

/** Whether the reply has a whole body without a coding, or is the reply to HEAD that states the length of one. */
export const canBeCoded = (reply: Response, { method }: Pick<HttpRequest, "method">): boolean => {
  if (bodylessStatuses.includes(reply.status) || reply.headers.has("content-encoding")) return false;
  return reply.payload !== null || (method === "HEAD" && bodyLength(reply) !== null);
};

/** Whether the reply is a range of a body without a coding. It varies as the whole body does (RFC 9110 15.3.7). */
export const isPart = ({ status, headers }: Response): boolean =>
  status === 206 && !headers.has("content-encoding");

/** Bytes of the body, or those that a reply without one states; `null` while unknown. */
export const bodyLength = ({ payload, headers }: Response): number | null => {
  if (payload !== null) return payloadLength(payload);
  const stated = headers.get("content-length");
  return stated !== null && /^\d{1,15}$/.test(stated) ? Number(stated) : null;
};

/** Statuses of replies without a body, or with a range of one, whose position within the encoded body is unknown. */
const bodylessStatuses: readonly number[] = [101, 204, 205, 206, 304];
