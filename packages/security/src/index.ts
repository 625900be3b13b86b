export type { CspDirectives } from "./content-security-policy.ts";
export { CspNonce, cspNonce } from "./csp-nonce.ts";
export { type Csrf, csrf, csrfToken, rotateCsrfToken } from "./csrf.ts";
export { CsrfConfig } from "./csrf-config.ts";
export { CsrfToken } from "./csrf-guard.ts";
export { type SecurityHeaders, securityHeaders } from "./security-headers.ts";
export { type HstsOptions, SecurityHeadersConfig } from "./security-headers-config.ts";
export { securityErrors } from "./error-codes.ts";
