import { isUtf8 } from "node:buffer";
import type { OutgoingRequest } from "./outgoing-request.ts";

/** Fields that are removed on a redirect to another origin (RFC 9110 15.4). A `Host` of the caller names the original service. */
const originFields = [
  "authorization",
  "cookie",
  "host",
  "idempotency-key",
  "proxy-authorization",
  "x-request-id",
];
const contentFields = [
  "content-type",
  "content-length",
  "content-encoding",
  "content-language",
  "content-location",
];

/**
 * Returns the request to send for a redirect; `null` for other replies, and for a redirect that cannot be followed: without a valid `Location`, from https to
 * http, or with a stream as the body to send again.
 *
 * @param own names of further fields that are removed on a redirect to another origin
 */
export const redirectRequest = (
  request: OutgoingRequest,
  { status, headers }: Response,
  own: readonly string[],
): OutgoingRequest | null => {
  const field = headers.get("location");
  if (![301, 302, 303, 307, 308].includes(status) || field === null) return null;
  const location = addressIn(field);
  if (!URL.canParse(location, request.url)) return null;
  const url = new URL(location, request.url);
  if (request.url.protocol === "https:" && url.protocol !== "https:") return null;
  const isSafe = ["GET", "HEAD"].includes(request.method);
  const becomesGet = !isSafe && (status === 303 || (status < 303 && request.method === "POST"));
  if (!becomesGet && request.body instanceof ReadableStream) return null;
  const fields = new Headers(request.headers);
  if (becomesGet) for (const name of contentFields) fields.delete(name);
  if (url.origin !== request.url.origin) for (const name of [...originFields, ...own]) fields.delete(name);
  return becomesGet
    ? { ...request, method: "GET", url, headers: fields, body: null }
    : { ...request, url, headers: fields };
};

/** Decodes a `Location`. A header value has one character per byte, and browsers decode the bytes of a URL as UTF-8. */
const addressIn = (field: string): string => {
  const bytes = Buffer.from(field, "latin1");
  return isUtf8(bytes) ? bytes.toString() : field;
};
