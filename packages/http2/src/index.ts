export { type Http2, http2 } from "./http2.ts";
export { Http2Config } from "./http2-config.ts";
