import { FrameworkError } from "../errors/framework-error.ts";
import { toBodyStream } from "./byte-stream.ts";
import { BodyStream, type Payload } from "../exchange/payload.ts";
import { toReadableStream } from "./readable-stream.ts";
import { Response } from "./response.ts";

/** Statuses that never have a body (Fetch standard, "null body status"). */
const bodyless = new Set([101, 103, 204, 205, 304]);

/**
 * Converts a reply into a web `Response`: same status, every field, separate `Set-Cookie` lines, and a body that is pulled on demand.
 *
 * A body that the status does not allow is cancelled. Cancelling the web body cancels the source.
 *
 * @param onPull called before each pull of a streamed body
 */
export const toWebResponse = (response: Response, onPull?: () => void): globalThis.Response => {
  const { payload, status, statusText } = response;
  const headers = headersOf(response.fields());
  if (status === 0) return globalThis.Response.error();
  if (!bodyless.has(status))
    return new globalThis.Response(webBody(payload, headers, onPull), { status, statusText, headers });
  // The reply has no body, so an error of the source is irrelevant.
  if (payload instanceof BodyStream) payload.cancel().catch(() => {});
  return new globalThis.Response(null, { status, statusText, headers });
};

const headersOf = (fields: readonly string[]): Headers => {
  const headers = new Headers();
  for (let index = 0; index < fields.length; index += 2) {
    headers.append(fields[index] as string, fields[index + 1] as string);
  }
  return headers;
};

/** Returns a string body only if there is a media type: otherwise the web's class would add its own. */
const webBody = (
  payload: Payload,
  headers: Headers,
  onPull: (() => void) | undefined,
): ReadableStream | Uint8Array<ArrayBuffer> | string | null => {
  if (payload instanceof BodyStream) return toReadableStream(payload, onPull);
  if (typeof payload === "string" && !headers.has("content-type")) return new TextEncoder().encode(payload);
  return payload as Uint8Array<ArrayBuffer> | string | null;
};

/** Hop-by-hop fields (RFC 9110 7.6.1). */
const hopByHop = [
  "connection",
  "keep-alive",
  "proxy-connection",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
];

/** Whether a value has the shape of a web `Response`, of any class and realm. */
export const isWebResponse = (value: object): value is globalThis.Response => {
  const { status, headers, arrayBuffer, clone } = value as Partial<globalThis.Response>;
  return (
    typeof status === "number" &&
    typeof headers?.forEach === "function" &&
    typeof arrayBuffer === "function" &&
    typeof clone === "function"
  );
};

/**
 * Converts a web `Response` into a reply: status, fields and body, which is pulled while it is sent.
 *
 * Hop-by-hop fields are dropped. `fetch` decodes bodies but keeps the fields that describe their coding, so these are dropped as well.
 *
 * @throws CORE_BODY_USED when its body was read or has a reader, CORE_BAD_REPLY for `Response.error()`, CORE_BAD_HEADER for more than 128 header lines
 */
export const fromWebResponse = (web: globalThis.Response): Response => {
  if (web.status === 0) throw networkError();
  if (web.bodyUsed)
    throw new FrameworkError("CORE_BODY_USED", "the body of this web response was read already");
  const response = new Response(null, { status: web.status });
  const { headers } = response;
  const cookies = typeof web.headers.getSetCookie === "function" ? web.headers.getSetCookie() : null;
  web.headers.forEach((value, name) => {
    if (cookies === null || name !== "set-cookie") headers.append(name, value);
  });
  for (const line of cookies ?? []) headers.append("set-cookie", line);
  for (const name of hopByHop) headers.delete(name);
  if (web.body !== null && web.body !== undefined) {
    response.payload = new WebBody(toBodyStream(web.body).chunks, takeBodyLength(web, response));
  }
  return response;
};

/** The body of a web `Response`. */
export class WebBody extends BodyStream {}

/** Creates the error for a handler that returns `Response.error()`. */
export const networkError = (): FrameworkError =>
  new FrameworkError(
    "CORE_BAD_REPLY",
    "Response.error() cannot be sent; return a reply with a status or throw an error",
  );

/** Removes `content-length` and returns its value: it becomes the body's length, which the transport writes. */
const takeBodyLength = ({ url }: globalThis.Response, { headers }: Response): number | null => {
  const isDecoded = url !== "" && headers.has("content-encoding");
  const length = headers.get("content-length");
  headers.delete("content-length");
  if (isDecoded) headers.delete("content-encoding");
  return !isDecoded && length !== null && /^\d{1,15}$/.test(length) ? Number(length) : null;
};
