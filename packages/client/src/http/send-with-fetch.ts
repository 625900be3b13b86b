import { encodeBody } from "./encode-body.ts";
import type { CheckedHttpOptions } from "./http-options.ts";
import type { Send } from "./outgoing-request.ts";

/** Sends requests with the program's own function, such as `app.fetch`. */
export const sendWith =
  ({ fetch = (request) => globalThis.fetch(request) }: Pick<CheckedHttpOptions, "fetch">): Send =>
  async ({ url, method, headers, body, signal }) => {
    const encoded = await encodeBody(body, headers);
    const streamed = encoded instanceof ReadableStream ? { duplex: "half" as const } : {};
    return fetch(
      new Request(url, { method, headers, body: encoded, signal, redirect: "manual", ...streamed }),
    );
  };
