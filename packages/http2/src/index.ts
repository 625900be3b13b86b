export { type Http2ErrorCode, http2Errors } from "./error-codes.ts";
export { type Http2, http2 } from "./http2.ts";
export { Http2Config } from "./http2-config.ts";
