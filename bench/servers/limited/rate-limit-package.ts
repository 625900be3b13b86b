// oxlint-disable no-restricted-imports -- the bench depends on core only, so that a comparison installs nothing else
export { rateLimit, RateLimitConfig } from "../../../packages/rate-limit/src/index.ts";
