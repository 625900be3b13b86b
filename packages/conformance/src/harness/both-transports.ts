import { createFastTransport, createNodeTransport } from "@framework/core/testing";
import type { MakeTransport } from "./test-server.ts";

/** The framework's HTTP/1.1 path and `node:http`, by name: rows for `describe.each`. */
export const bothTransports: readonly (readonly [name: "fast" | "node", make: MakeTransport])[] = [
  ["fast", createFastTransport],
  ["node", createNodeTransport],
];
