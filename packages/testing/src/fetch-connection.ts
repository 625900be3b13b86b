import { type AppUnderTest, type ServeOptions, toAppSettings } from "./app-under-test.ts";
import type { Connection } from "./client.ts";
import { testingError } from "./errors.ts";

/** Default authority of requests. */
const AUTHORITY = "test.local";

/** Passes requests to `app.fetch`, without a socket or a transport. */
export const fetchConnection = (app: AppUnderTest, options: ServeOptions): Connection => {
  let started: Promise<unknown> | undefined;
  return {
    origin: async () => `http://${AUTHORITY}`,
    async send({ method, target, headers, body }, signal) {
      if (body !== null && (method === "GET" || method === "HEAD")) {
        const message = `a web Request with ${method} cannot have a body; use socketClient`;
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
