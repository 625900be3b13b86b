import type { Response } from "@framework/core";

/** Compressible media types: text and similar ones. Images, videos and archives are compressed already. */
const TEXTUAL =
  /^(?:text\/.+|application\/(?:json|javascript|ecmascript|xml|graphql|x-javascript|manifest\+json|openmetrics-text)|image\/svg\+xml|.+\+(?:json|xml))$/;

/** Fields with a digest of the body as it is sent (RFC 9530; `Content-MD5` is its predecessor): that of another encoding differs. */
export const digestFields: readonly string[] = ["content-digest", "repr-digest", "content-md5"];

/** Whether this reply could be compressed for another client, by its type and fields. */
export const isCompressible = ({ headers, status }: Response): boolean => {
  if (status === 206 || headers.has("content-encoding") || headers.has("content-range")) return false;
  if (digestFields.some((name) => headers.has(name))) return false;
  if (/(?:^|[\s,])no-transform(?:$|[\s,])/i.test(headers.get("cache-control") ?? "")) return false;
  if (status === 304) return true; // the stored reply may be compressed
  const [type = ""] = (headers.get("content-type") ?? "").split(";", 1);
  return TEXTUAL.test(type.trim().toLowerCase());
};

/** Whether the reply has a whole body without a coding. */
export const canBeCoded = ({ status, payload, headers }: Response): boolean =>
  payload !== null && !bare.includes(status) && !headers.has("content-encoding");

/** Whether the reply has no body, or a range of one: its position within the encoded body is unknown. */
const bare: readonly number[] = [101, 204, 205, 206, 304];
