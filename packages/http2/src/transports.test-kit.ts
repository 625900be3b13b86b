import { type MakeTransport, overTls } from "@framework/conformance";
import { createFastTransport, createNodeTransport } from "@framework/core/testing";
import { Http2Config } from "./http2-config.ts";
import { http2Protocol } from "./protocol.ts";
import { Http2Totals } from "./totals.ts";

/** Makes a transport that also serves HTTP/2, without TLS. */
export const withHttp2 =
  (
    make: MakeTransport = createFastTransport,
    config: Partial<Http2Config> = {},
    totals: Http2Totals = new Http2Totals(),
    nodeVersion: string = process.versions.node,
  ): MakeTransport =>
  (options) =>
    make({
      ...options,
      protocol: http2Protocol(Http2Config.of({ h2c: true, ...config }), totals, nodeVersion),
    });

/** HTTP/2 with and without TLS: rows for `describe.each`. */
export const http2Transports: readonly (readonly [name: string, make: MakeTransport])[] = [
  ["without TLS", withHttp2()],
  ["without TLS, with node:http for HTTP/1.1", withHttp2(createNodeTransport)],
  ["over TLS", overTls(withHttp2())],
  ["without TLS, as on Node 24.0", withHttp2(undefined, {}, undefined, "24.0.0")],
];
