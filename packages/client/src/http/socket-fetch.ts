import { Readable } from "node:stream";
import type { ReadableStream as NodeStream } from "node:stream/web";
import { Agent, type Dispatcher } from "undici";
import { ClientError } from "./client-error.ts";
import { emptyReply, isEmpty } from "./empty-reply.ts";
import { type EncodedBody, encodeBody } from "./encode-body.ts";
import type { CheckedHttpOptions } from "./http-options.ts";
import type { Send } from "./outgoing-request.ts";
import { publicLookup } from "./public-address.ts";

/** Sends requests over the keep-alive connections of a pool. */
export interface SocketFetch {
  readonly send: Send;
  /** Destroys the pool's connections. */
  close(): Promise<void>;
}

const MAX_HEADER_BYTES = 16_384;
const MAX_ORIGINS = 100;

/** Opens a connection pool with the limits of the options, at most 16 KiB of header fields per reply, and at most 100 origins. */
export const socketFetch = (options: CheckedHttpOptions): SocketFetch => {
  const { publicAddressesOnly, connectTimeoutMs, idleTimeoutMs, maxConnections, keepAliveMs } = options;
  const agent = new Agent({
    connect: { timeout: connectTimeoutMs, ...(publicAddressesOnly && { lookup: publicLookup }) },
    connections: maxConnections,
    maxOrigins: MAX_ORIGINS,
    maxHeaderSize: MAX_HEADER_BYTES,
    keepAliveTimeout: keepAliveMs,
    keepAliveMaxTimeout: keepAliveMs,
    headersTimeout: 0, // `timeoutMs` is the limit
    bodyTimeout: Math.ceil(idleTimeoutMs), // undici accepts only whole milliseconds
  });
  const send: Send = async ({ url, method, headers, body, signal }) => {
    if (headers.has("expect"))
      throw new ClientError(
        "CLIENT_BAD_PARAMETER",
        "the field Expect is not supported: the client sends bodies without waiting for 100 Continue",
      );
    const encoded = bodyOf(await encodeBody(body, headers)); // sets Content-Type
    const reply = await agent.request({
      origin: url.origin,
      path: url.pathname + url.search,
      method: method as Dispatcher.HttpMethod,
      headers: Object.fromEntries(headers),
      body: encoded,
      signal,
    });
    return toResponse(method, reply);
  };
  return { send, close: () => agent.destroy() };
};

const bodyOf = (body: EncodedBody): string | Uint8Array | Readable | null =>
  body instanceof ReadableStream ? Readable.fromWeb(body as NodeStream<Uint8Array>) : body;

const toResponse = (
  method: string,
  { statusCode: status, headers, body }: Dispatcher.ResponseData,
): Response => {
  const fields = new Headers();
  for (const [name, value] of Object.entries(headers))
    for (const each of Array.isArray(value) ? value : [value ?? ""]) fields.append(name, each);
  if (status < 200 || status > 599) {
    body.dump().catch(() => {}); // the body is not needed
    throw new ClientError("CLIENT_NO_REPLY", `the service replied with the unknown status ${status}`);
  }
  const head = { status, headers: fields };
  if (!isEmpty(method, head))
    return new Response(Readable.toWeb(body) as ReadableStream<Uint8Array<ArrayBuffer>>, head);
  body.dump().catch(() => {}); // the body is not needed
  return emptyReply(method, head);
};
