import type { Awaitable } from "@framework/core";
import { messageOf } from "@framework/core/feature";
import { ClientError } from "./client-error.ts";
import { encodeBody } from "./encode-body.ts";
import type { CheckedHttpOptions } from "./http-options.ts";
import type { Send } from "./outgoing-request.ts";

/** Sends requests with the option `fetch`, such as `app.fetch`. */
export const sendWith =
  ({ fetch = (request) => globalThis.fetch(request) }: Pick<CheckedHttpOptions, "fetch">): Send =>
  async ({ url, method, headers, body, signal }) => {
    const encoded = await encodeBody(body, headers);
    const streamOptions = encoded instanceof ReadableStream ? { duplex: "half" as const } : {};
    const init = { method, headers, body: encoded, signal, redirect: "manual", ...streamOptions } as const;
    const request = requestOf(url, init);
    return unlessAborted(signal, fetch(request));
  };

/** @throws ClientError CLIENT_BAD_PARAMETER for a request that web standards do not allow, such as a GET with a body */
const requestOf = (url: URL, init: RequestInit): Request => {
  try {
    return new Request(url, init);
  } catch (cause) {
    const message = `${init.method} ${url.origin}${url.pathname} cannot be sent: ${messageOf(cause)}`;
    throw new ClientError("CLIENT_BAD_PARAMETER", message, { cause });
  }
};

/** Returns the reply, or throws the signal's reason if it aborts first, because `fetch` may ignore the signal. A reply after that is cancelled. */
const unlessAborted = async (signal: AbortSignal, pending: Awaitable<Response>): Promise<Response> => {
  const aborted = Promise.withResolvers<never>();
  const abort = (): void => aborted.reject(signal.reason);
  signal.addEventListener("abort", abort);
  const reply = Promise.resolve(pending);
  try {
    if (signal.aborted) abort();
    return await Promise.race([aborted.promise, reply]);
  } catch (error) {
    reply.then((ignored) => ignored.body?.cancel()).catch(() => {}); // the caller gets the first error
    throw error;
  } finally {
    signal.removeEventListener("abort", abort);
  }
};
