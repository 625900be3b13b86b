import type { ErrorCatalogue } from "@framework/core/feature";

/** An error code of this package. */
export type Http2ErrorCode = "HTTP2_NOT_SERVED";

/** The error codes of this package. */
export const http2Errors: ErrorCatalogue<Http2ErrorCode> = {
  HTTP2_NOT_SERVED: {
    summary:
      "a warning: HTTP/2 is enabled, but the service has neither TLS nor `h2c`, so clients get HTTP/1.1 only",
    action:
      "give `run` a certificate (`tls`), call `enableHttp2({ h2c: true })` behind a proxy that speaks HTTP/2 without TLS, or do not enable it",
  },
};
