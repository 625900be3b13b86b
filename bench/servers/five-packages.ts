/** The five feature packages of the comparison, loaded from their sources. */
// oxlint-disable no-restricted-imports -- see ../features/packages.ts
export { cors } from "../../packages/cors/src/index.ts";
export { etag } from "../../packages/etag/src/index.ts";
export { logging } from "../../packages/logging/src/index.ts";
export { requestId } from "../../packages/request-id/src/index.ts";
export { securityHeaders } from "../../packages/security/src/index.ts";
