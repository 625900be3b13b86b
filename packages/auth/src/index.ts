// For applications.
export { JwtAuth } from "./jwt/jwt-auth.ts";
export type { JwtAuthOptions } from "./jwt/jwt-auth-options.ts";
export type { UpdateClaims } from "./jwt/update-claims.ts";
export { JwtConfig, type KeyInput } from "./tokens/jwt-config.ts";
export type { JwtAlgorithm } from "./jose/algorithms.ts";
export type { NewClaims, TokenPair } from "./tokens/new-token.ts";
export type { CallbackTimeout } from "./callback-timeout.ts";
export { BasicAuth, type BasicAuthOptions, type VerifyCredentials } from "./basic/basic-auth.ts";
export { hashPassword, passwordProblem, verifyPassword } from "./basic/password.ts";
export { isSameSecret } from "./basic/is-same-secret.ts";
export type { ScryptCost } from "./basic/scrypt-cost.ts";
export { ApiKeyAuth } from "./api-key/api-key-auth.ts";
export type { ApiKeys } from "./api-key/key-digests.ts";
export { anyOf, type AuthAlternative } from "./any-of.ts";
export {
  ApiKeyName,
  type Claims,
  JwtClaims,
  type Principal,
  principalOf,
  User,
} from "@framework/core/feature";
export { AuthenticatedGuard, AuthenticatedGuard as Authenticated } from "./guards/authenticated-guard.ts";
export { RoleGuard, RoleGuard as Role, type RoleGuardOptions } from "./guards/role-guard.ts";
export {
  PermissionGuard,
  PermissionGuard as Permission,
  type PermissionGuardOptions,
} from "./guards/permission-guard.ts";
export type { ResolveGrants, Grants } from "./guards/grants.ts";

// For other packages.
export { Authentication } from "./authentication.ts";
export type { AuthDescription, SecuritySchemes } from "./auth-description.ts";
export type { TokenStore } from "./token-store/token-store.ts";
export {
  openSharedTokenStore,
  type SharedTokenStore,
  type SharedTokenStoreOptions,
} from "./token-store/shared-token-store.ts";
export { authErrors } from "./error-codes.ts";
