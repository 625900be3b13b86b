import { HttpError } from "../errors/http-error.ts";
import type { RequestSource } from "../exchange/request-source.ts";
import { markRequestHandled } from "../middleware/mark-body-handled.ts";

/** Values of a request that a web `Request` is built from. */
interface WebRequestParts {
  readonly method: string;
  readonly url: string;
  readonly signal: AbortSignal;
  body(): Promise<Uint8Array>;
}

/**
 * Creates a web `Request` with the same content; its body is read from `request.body()`, so that both bodies can be read.
 *
 * @param isDecoded whether middleware has decoded the body, so that the fields no longer describe its coding
 * @throws HttpError 501 for a method that a web `Request` cannot have
 */
export const webRequest = (
  request: WebRequestParts,
  source: RequestSource,
  isDecoded: boolean,
): globalThis.Request => {
  if (forbiddenMethods.has(request.method))
    throw new HttpError(501, `A web Request cannot have the method ${request.method}`);
  const headers = new Headers();
  for (let at = 0; at < source.fields.length; at += 2) {
    headers.append(source.fields[at] ?? "", source.fields[at + 1] ?? "");
  }
  if (isDecoded) removeCoding(headers);
  const { method, url, signal } = request;
  const bodyless = method === "GET" || method === "HEAD" || source.bodyLength === 0;
  if (bodyless) return new globalThis.Request(url, { method, headers, signal });
  const body = bytesOf(request);
  return markRequestHandled(new globalThis.Request(url, { method, headers, signal, body, duplex: "half" }));
};

/** The methods that the Fetch standard forbids, in the spelling that transports pass. */
const forbiddenMethods: ReadonlySet<string> = new Set(["CONNECT", "TRACE", "TRACK"]);

/** Removes the fields that describe the encoded body: another reader would decode the body again, or expect the encoded length. */
export const removeCoding = (headers: Headers): void => {
  for (const name of ["content-encoding", "content-length", "content-digest", "repr-digest", "content-md5"])
    headers.delete(name);
};

const bytesOf = (request: Pick<WebRequestParts, "body">): ReadableStream<Uint8Array> =>
  new ReadableStream({
    async pull(controller) {
      controller.enqueue(await request.body());
      controller.close();
    },
  });
