export { CorsConfig } from "./cors-config.ts";
export { cors, type Cors, type CorsOptions } from "./cors.ts";
