import type { Awaitable } from "@framework/core";
import { encodeBody } from "./encode-body.ts";
import type { CheckedHttpOptions } from "./http-options.ts";
import type { Send } from "./outgoing-request.ts";

/** Sends requests with the option `fetch`, such as `app.fetch`. */
export const sendWith =
  ({ fetch = (request) => globalThis.fetch(request) }: Pick<CheckedHttpOptions, "fetch">): Send =>
  async ({ url, method, headers, body, signal }) => {
    const encoded = await encodeBody(body, headers);
    const streamOptions = encoded instanceof ReadableStream ? { duplex: "half" as const } : {};
    const request = new Request(url, {
      method,
      headers,
      body: encoded,
      signal,
      redirect: "manual",
      ...streamOptions,
    });
    return unlessAborted(signal, fetch(request));
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
