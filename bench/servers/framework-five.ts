import { openSync } from "node:fs";
import { App } from "@framework/core";
import { ALLOWED_ORIGIN, logFile } from "./five.ts";

/**
 * Creates an app with the five feature packages: request ids, an access log, `nosniff`, CORS and ETags, configured to match the other servers.
 *
 * Loads the packages dynamically, so that a server without them does not load their code.
 */
export const createFiveApp = async (): Promise<App> => {
  const { cors, etag, logging, requestId, securityHeaders } = await import("./five-packages.ts");
  return new (App.with(logging, requestId, cors, securityHeaders, etag))()
    .enableLogging({ format: "json", destination: openSync(logFile, "a") })
    .enableRequestId()
    .enableSecurityHeaders({
      contentTypeOptions: true,
      contentSecurityPolicy: false,
      strictTransportSecurity: false,
      frameOptions: false,
      referrerPolicy: false,
      crossOriginOpenerPolicy: false,
      crossOriginResourcePolicy: false,
      permissionsPolicy: false,
    })
    .enableCors([ALLOWED_ORIGIN])
    .enableEtag({ weak: true });
};
