export { deprecation, type Deprecation } from "./deprecation.ts";
export { DeprecationConfig } from "./deprecation-config.ts";
export type { DeprecationRouteOptions } from "./route-options.ts";
