import { ClientError } from "./client-error.ts";
import type { OutgoingBody } from "./outgoing-request.ts";

/** An encoded body. Strings and bytes are sent with a `Content-Length`, streams in chunks. */
export type EncodedBody = string | Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array<ArrayBuffer>> | null;

/** Maximum size of a `Blob` that is read into memory before it is sent. */
const MAX_COLLECTED_BYTES = 65_536;

/**
 * Encodes a body, and sets `Content-Type` if it is missing or the body is a `FormData`.
 *
 * @throws ClientError CLIENT_BAD_PARAMETER for a stream that was read before
 */
export const encodeBody = async (body: OutgoingBody | null, headers: Headers): Promise<EncodedBody> => {
  if (body === null) return null;
  if (body instanceof FormData) headers.delete("content-type"); // only the encoder knows the boundary
  const encoded = replyWith(body);
  const type = encoded.headers.get("content-type");
  if (type !== null && !headers.has("content-type")) headers.set("content-type", type);
  if (typeof body === "string" || body instanceof Uint8Array || body instanceof ReadableStream) return body;
  if (body instanceof URLSearchParams) return body.toString();
  if (body instanceof Blob && body.size <= MAX_COLLECTED_BYTES)
    return new Uint8Array(await body.arrayBuffer());
  return encoded.body;
};

const replyWith = (body: OutgoingBody): Response => {
  try {
    return new Response(body);
  } catch (cause) {
    throw new ClientError("CLIENT_BAD_PARAMETER", "the body is a stream that was read before", { cause });
  }
};
