import { bodyLimit } from "@framework/body-limit";
import { circuitBreaker } from "@framework/breaker";
import { caching } from "@framework/cache";
import { compression } from "@framework/compression";
import type { AnyFeature, Feature } from "@framework/core/feature";
import { cors } from "@framework/cors";
import { devtools } from "@framework/devtools";
import { etag } from "@framework/etag";
import { logging } from "@framework/logging";
import { rateLimit } from "@framework/rate-limit";
import { requestId } from "@framework/request-id";
import { csrf, securityHeaders } from "@framework/security";
import { sessions } from "@framework/sessions";
import { staticFiles } from "@framework/static-files";
import { enableOperations, operationFeatures, type OperationsApp } from "./operations.test-kit.ts";

/** The origin whose pages may read replies. */
export const pageOrigin = "https://pages.example";
/** Maximum bytes of a request body. */
export const maxBodyBytes = 4096;

/** A feature with its dependencies, and how the tests enable it. */
export interface Toggle {
  /** The dependencies of the feature, then the feature. */
  readonly features: readonly AnyFeature[];
  /** `writeLine` receives the log's output. */
  readonly enable: (app: object, writeLine: (line: string) => void) => void;
}

const toggle = <Methods extends object>(
  feature: Feature<Methods>,
  enable: (app: Methods, writeLine: (line: string) => void) => unknown,
): Toggle => ({
  features: [feature],
  enable: (app, writeLine) => void enable(app as Methods, writeLine), // the app was created with the feature
});

const destination = (writeLine: (line: string) => void) => ({
  write: (lines: string): void => {
    for (const line of lines.trimEnd().split("\n")) writeLine(line);
  },
});

/** Every tested feature that takes part in a request. */
export const toggles = {
  cors: toggle(cors, (app) =>
    app.enableCors([pageOrigin], { credentials: true, exposeHeaders: ["X-Request-ID"] }),
  ),
  logging: toggle(logging, (app, writeLine) =>
    app.enableLogging({ format: "json", destination: destination(writeLine) }),
  ),
  compression: toggle(compression, (app) => app.enableCompression()),
  etag: toggle(etag, (app) => app.enableEtag()),
  requestId: toggle(requestId, (app) => app.enableRequestId()),
  bodyLimit: toggle(bodyLimit, (app) => app.enableBodyLimit(maxBodyBytes)),
  staticFiles: toggle(staticFiles, (app) =>
    app.enableStaticFiles({ directory: `${import.meta.dirname}/../files`, prefix: "/files" }),
  ),
  rateLimit: toggle(rateLimit, (app) => app.enableRateLimit({ maxRequests: 1000 })),
  cache: toggle(caching, (app) => app.enableCaching()),
  breaker: toggle(circuitBreaker, (app) => app.enableCircuitBreaker()),
  securityHeaders: toggle(securityHeaders, (app) => app.enableSecurityHeaders()),
  csrf: toggle(csrf, (app) => app.enableCsrf({ secret: "a secret that is long enough for a test" })),
  sessions: toggle(sessions, (app) => app.enableSessions()),
  devtools: toggle(devtools, (app) => app.enableDevtools()),
  commands: { features: operationFeatures, enable: (app) => enableOperations(app as OperationsApp) },
} as const satisfies Readonly<Record<string, Toggle>>;

export type ToggleName = keyof typeof toggles;

/** Names in the order of the table. */
export const toggleNames = Object.keys(toggles) as readonly ToggleName[]; // the table has no other keys
