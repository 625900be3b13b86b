export type { AdaptiveProbes } from "./adaptive-probes.ts";
export { rateLimit, type RateLimit } from "./rate-limit.ts";
export {
  type CallKey,
  type ClientKey,
  type ClientName,
  RateLimitConfig,
  type RateLimitBuilder,
  type RateLimitConfigRecord,
  type RateLimitOptions,
} from "./rate-limit-config.ts";
export type { RateLimitRouteOptions, RouteLimit } from "./route-limit.ts";
export { rateLimitErrors } from "./error-codes.ts";
