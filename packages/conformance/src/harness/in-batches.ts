import type { MakeTransport } from "./test-server.ts";

/** Creates the transport with batching always enabled: it serves all reads of an event loop turn together. */
export const inBatches =
  (make: MakeTransport): MakeTransport =>
  (options) =>
    make({ ...options, readBatches: "always" });
