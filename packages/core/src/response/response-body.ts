import { badBody, bytesOf, isBlob, type StreamChunk, toBodyStream } from "./byte-stream.ts";
import { isNodeReadable, isReadableStream, type NodeReadable } from "./chunk-source.ts";
import { BodyStream, type Payload } from "../exchange/payload.ts";

/** Bodies that a reply accepts. */
export type ResponseBody =
  | string
  | ArrayBuffer
  | ArrayBufferView
  | Blob
  | URLSearchParams
  | FormData
  | ReadableStream<unknown>
  | NodeReadable
  | AsyncIterable<StreamChunk>
  | BodyStream;

/** A body and the media type that its kind implies; `null` if it implies none. */
export interface TypedPayload {
  readonly payload: Payload;
  readonly mediaType: string | null;
}

export const BINARY_TYPE = "application/octet-stream";

/** Returns the payload of a body other than text. @throws CORE_BAD_BODY for an unsupported value, CORE_BODY_USED for a stream with a reader */
export const typedPayload = (body: Exclude<ResponseBody, string>): TypedPayload => {
  const bytes = bytesOf(body);
  if (bytes !== null) return { payload: bytes, mediaType: BINARY_TYPE };
  if (body instanceof BodyStream) return { payload: body, mediaType: null };
  if (isBlob(body))
    return { payload: toBodyStream(body), mediaType: body.type === "" ? BINARY_TYPE : body.type };
  if (hasTag(body, "URLSearchParams")) {
    return {
      payload: (body as URLSearchParams).toString(),
      mediaType: "application/x-www-form-urlencoded;charset=UTF-8",
    };
  }
  if (hasTag(body, "FormData")) return formPayload(body as FormData);
  if (isStream(body)) return { payload: toBodyStream(body), mediaType: null };
  throw badBody(body, "text, bytes, a Blob, a form or a stream; Response.json(value) sends a value");
};

/** Whether a value is sent as a stream. */
export const isStream = (
  value: unknown,
): value is ReadableStream<unknown> | NodeReadable | AsyncIterable<StreamChunk> =>
  typeof value === "object" &&
  value !== null &&
  (Symbol.asyncIterator in value || isReadableStream(value) || isNodeReadable(value));

/** Compares the `toStringTag`, which classes of other realms and polyfills share. */
const hasTag = (value: unknown, tag: string): boolean =>
  Object.prototype.toString.call(value) === `[object ${tag}]`;

const formPayload = (form: FormData): TypedPayload => {
  const web = new globalThis.Response(form);
  const payload = web.body === null ? null : toBodyStream(web.body);
  return { payload, mediaType: web.headers.get("content-type") };
};
