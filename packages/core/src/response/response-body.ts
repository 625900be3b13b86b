import { badBody, bytesOf, isBlob, type StreamChunk, toBodyStream } from "./byte-stream.ts";
import { isNodeReadable, isReadableStream, type NodeReadable } from "./chunk-source.ts";
import { BodyStream, type Payload } from "../exchange/payload.ts";

/** What a reply can be made of. */
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

/** A body and the media type that its kind implies, `null` when it implies none. */
export interface TypedPayload {
  readonly payload: Payload;
  readonly mediaType: string | null;
}

export const binaryType = "application/octet-stream";

/** A body that is not plain text, as it is sent. @throws CORE_BAD_BODY for what is no body, CORE_BODY_USED for a stream that is being read */
export const typedPayload = (body: Exclude<ResponseBody, string>): TypedPayload => {
  const bytes = bytesOf(body);
  if (bytes !== null) return { payload: bytes, mediaType: binaryType };
  if (body instanceof BodyStream) return { payload: body, mediaType: null };
  if (isBlob(body))
    return { payload: toBodyStream(body), mediaType: body.type === "" ? binaryType : body.type };
  if (isA(body, "URLSearchParams")) {
    return {
      payload: (body as URLSearchParams).toString(),
      mediaType: "application/x-www-form-urlencoded;charset=UTF-8",
    };
  }
  if (isA(body, "FormData")) return formPayload(body as FormData);
  if (isStream(body)) return { payload: toBodyStream(body), mediaType: null };
  throw badBody(body, "text, bytes, a Blob, a form or a stream; Response.json(value) sends a value");
};

/** Tells what is streamed from every other value. */
export const isStream = (
  value: unknown,
): value is ReadableStream<unknown> | NodeReadable | AsyncIterable<StreamChunk> =>
  typeof value === "object" &&
  value !== null &&
  (Symbol.asyncIterator in value || isReadableStream(value) || isNodeReadable(value));

/** Goes by the tag, which classes of other realms and polyfills have too. */
const isA = (value: unknown, tag: string): boolean =>
  Object.prototype.toString.call(value) === `[object ${tag}]`;

const formPayload = (form: FormData): TypedPayload => {
  const web = new globalThis.Response(form);
  const payload = web.body === null ? null : toBodyStream(web.body);
  return { payload, mediaType: web.headers.get("content-type") };
};
