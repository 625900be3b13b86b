import type { ConfigInput, Feature } from "@framework/core/feature";
import { Http2Config } from "./http2-config.ts";
import { http2Protocol } from "./protocol.ts";
import { Http2Totals } from "./totals.ts";

/** The methods that the feature adds to an app. */
export interface Http2 {
  /**
   * Serves HTTP/2 in addition to HTTP/1.1: over TLS to clients that select it (ALPN), and with `h2c` also without TLS.
   *
   * @throws CORE_BAD_CONFIG at start, together with all other configuration errors
   */
  enableHttp2(config?: ConfigInput<Http2Config>): this;
}

/**
 * Serves HTTP/2 (RFC 9113) on the port of the service. Routes, middleware and handlers need no changes.
 *
 * @example
 * const app = new (App.with(http2))().enableHttp2();
 * await app.run({ tls: { certFile: "cert.pem", keyFile: "key.pem" } });
 */
export const http2: Feature<Http2> = {
  name: "http2",
  install: (host) => ({
    enableHttp2(config) {
      const totals = new Http2Totals();
      host.life.protocol(http2Protocol(host.configure(Http2Config, config), totals));
      for (const metric of totals.metrics()) host.insight.metric(metric);
      return this;
    },
  }),
};
