export { type BodyEncoding, BodyLimitConfig } from "./body-limit-config.ts";
export { bodyLimit, type BodyLimiting } from "./body-limit.ts";
