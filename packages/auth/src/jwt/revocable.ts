import type { Claims } from "@framework/core/feature";
import { authError } from "../errors.ts";
import { MAX_ID_LENGTH } from "../tokens/check-claims.ts";
import { idsOf } from "../tokens/token-verifier.ts";

/** Whether a value can be the `jti` of a token; a whole token cannot. */
export const isTokenId = (value: unknown): value is string =>
  typeof value === "string" && value !== "" && value.length <= MAX_ID_LENGTH && value.split(".").length !== 3;

/** @throws AUTH_BAD_CLAIMS for a value by which no token can be revoked */
export const checkRevocable = (token: string | Claims): void => {
  if (isTokenId(token) || (typeof token === "object" && areRevocable(token))) return;
  throw authError("AUTH_BAD_CLAIMS", "revokeToken takes the jti of a token, or claims with jti and exp");
};

const areRevocable = (claims: Claims | null): boolean => {
  if (claims === null || !Number.isFinite(claims.exp)) return false;
  return isClaimedId(claims.jti) || (claims.jti === undefined && idsOf(claims).length > 0);
};

/** Whether a value can be the claim `jti` of a valid token. */
const isClaimedId = (jti: unknown): boolean =>
  typeof jti === "string" && jti !== "" && jti.length <= MAX_ID_LENGTH;
