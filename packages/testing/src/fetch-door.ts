import { type AppUnderTest, type ServeOptions, toAppSettings } from "./app-under-test.ts";
import type { Door } from "./client.ts";
import { testingError } from "./errors.ts";

/** The authority of requests that name no other in `Host`. */
const AUTHORITY = "test.local";

/** Takes requests to `app.fetch`: no socket, no bytes, so no transport of the framework is involved either. */
export const fetchDoor = (app: AppUnderTest, options: ServeOptions): Door => {
  let started: Promise<unknown> | undefined;
  return {
    origin: async () => `http://${AUTHORITY}`,
    async send({ method, target, headers, body }, signal) {
      if (body !== null && (method === "GET" || method === "HEAD")) {
        const message = `a web Request with ${method} has no body; send it with socketClient`;
        throw testingError("TESTING_BAD_OPTION", message);
      }
      started ??= app.start(toAppSettings(options));
      await started;
      if (body instanceof Uint8Array) headers.set("content-length", String(body.byteLength));
      const url = `http://${headers.get("host") ?? AUTHORITY}${target}`;
      return app.fetch(new Request(url, { method, headers, body, signal, duplex: "half" }));
    },
    close: () => app.stop(),
  };
};
