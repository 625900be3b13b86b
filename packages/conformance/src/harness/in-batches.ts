import type { MakeTransport } from "./test-server.ts";

/** The same transport, which serves what its connections read in a turn of the event loop together, however little it is. */
export const inBatches =
  (make: MakeTransport): MakeTransport =>
  (options) =>
    make({ ...options, readBatches: "always" });
