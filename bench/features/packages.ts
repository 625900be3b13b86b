/** The measured feature packages, loaded from their sources, including the five middlewares of the comparison. */
// oxlint-disable no-restricted-imports -- the bench depends on core only, so that a comparison installs nothing else
export { JwtAuth } from "../../packages/auth/src/index.ts";
export { bodyLimit } from "../../packages/body-limit/src/index.ts";
export { circuitBreaker } from "../../packages/breaker/src/index.ts";
export { caching } from "../../packages/cache/src/index.ts";
export { compression } from "../../packages/compression/src/index.ts";
export { healthChecks } from "../../packages/health/src/index.ts";
export { openapi } from "../../packages/openapi/src/index.ts";
export { prometheus } from "../../packages/metrics/src/index.ts";
export { rateLimit, RateLimitConfig } from "../../packages/rate-limit/src/index.ts";
export { staticFiles } from "../../packages/static-files/src/index.ts";
export { cors, etag, logging, requestId, securityHeaders } from "../servers/five-packages.ts";
