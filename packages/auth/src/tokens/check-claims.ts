import type { JwtConfig } from "./jwt-config.ts";

/** Rules for claims. */
export type ClaimRules = Pick<JwtConfig, "requiredClaims" | "issuer" | "audience" | "leewaySecs">;

/** Claim values by name. */
export type RawClaims = Readonly<Record<string, unknown>>;

/** Whether claims are valid now and for this audience (RFC 7519 4.1): `exp` is required, and now ≥ `exp` is expired. */
export const areAcceptable = (claims: RawClaims, rules: ClaimRules, nowSecs: number): boolean => {
  const { sub, iss, jti, iat } = claims;
  if (!rules.requiredClaims.every((name) => claims[name] !== undefined && claims[name] !== null))
    return false;
  if (![sub, iss, jti].every(isMaybeText) || !isMaybeTime(iat)) return false;
  if (typeof jti === "string" && jti.length > 256) return false;
  return (
    areInForce(claims, rules.leewaySecs, nowSecs) &&
    isExpectedIssuer(iss, rules) &&
    isForUs(claims["aud"], rules)
  );
};

/** Whether now is before `exp` and not before `nbf`, if present (RFC 7519 4.1.4, 4.1.5). */
export const areInForce = ({ exp, nbf }: RawClaims, leewaySecs: number, nowSecs: number): boolean =>
  isTime(exp) &&
  nowSecs < exp + leewaySecs &&
  (nbf === undefined || (isTime(nbf) && nbf - leewaySecs <= nowSecs));

const isExpectedIssuer = (iss: unknown, { issuer }: ClaimRules): boolean =>
  issuer === undefined || iss === issuer;

const isForUs = (aud: unknown, { audience }: ClaimRules): boolean => {
  const named: readonly unknown[] = Array.isArray(aud) ? aud : [aud];
  if (aud !== undefined && !named.every((name) => typeof name === "string")) return false;
  if (audience === undefined) return true;
  return (typeof audience === "string" ? [audience] : audience).some((name) => named.includes(name));
};

const isTime = (value: unknown): value is number => Number.isFinite(value);
const isMaybeTime = (value: unknown): boolean => value === undefined || isTime(value);
const isMaybeText = (value: unknown): boolean =>
  value === undefined || (typeof value === "string" && value !== "");
