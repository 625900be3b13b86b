import { createFastTransport, createNodeTransport } from "@framework/core/testing";
import { overTls } from "./over-tls.ts";
import type { MakeTransport } from "./test-server.ts";

/** The framework's HTTP/1.1 path and `node:http`, by name: rows for `describe.each`. */
export const bothTransports: readonly (readonly [name: "fast" | "node", make: MakeTransport])[] = [
  ["fast", createFastTransport],
  ["node", createNodeTransport],
];

/** Both transports, without and with TLS. */
export const bothTransportsAndTls: readonly (readonly [name: string, make: MakeTransport])[] = [
  ...bothTransports,
  ...bothTransports.map(([name, make]) => [`${name} over TLS`, overTls(make)] as const),
];
