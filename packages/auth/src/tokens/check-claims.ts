import type { JwtConfig } from "./jwt-config.ts";

/** Rules for claims. */
export type ClaimRules = Pick<JwtConfig, "requiredClaims" | "issuer" | "audience" | "leewaySecs">;

/** Maximum length of a `jti`, in characters. */
export const MAX_ID_LENGTH = 256;

/** Claim values by name. */
export type RawClaims = Readonly<Record<string, unknown>>;

/** Whether claims are valid now and for this audience (RFC 7519 4.1): `sub` and `exp` are required, and a token expires at `exp` plus the leeway. */
export const areAcceptable = (claims: RawClaims, rules: ClaimRules, nowSecs: number): boolean =>
  invalidClaim(claims, rules) === null && areInForce(claims, rules.leewaySecs, nowSecs);

/** Returns the name of a claim that makes a token unacceptable at any time, `null` for none. */
export const invalidClaim = (claims: RawClaims, rules: ClaimRules): string | null => {
  const { sub, iss, jti, iat, exp, nbf, aud } = claims;
  for (const name of rules.requiredClaims)
    if (claims[name] === undefined || claims[name] === null) return name;
  if (sub === undefined || !isOptionalText(sub)) return "sub";
  if (!isOptionalText(iss) || !isExpectedIssuer(iss, rules)) return "iss";
  if (!isExpectedAudience(aud, rules)) return "aud";
  if (!isOptionalText(jti) || (typeof jti === "string" && jti.length > MAX_ID_LENGTH)) return "jti";
  if (!isOptionalTime(iat)) return "iat";
  if (!isTime(exp)) return "exp";
  return isOptionalTime(nbf) ? null : "nbf";
};

/** Whether now is before `exp` and not before `nbf`, if present (RFC 7519 4.1.4, 4.1.5). */
export const areInForce = ({ exp, nbf }: RawClaims, leewaySecs: number, nowSecs: number): boolean =>
  isTime(exp) &&
  nowSecs < exp + leewaySecs &&
  (nbf === undefined || (isTime(nbf) && nbf - leewaySecs <= nowSecs));

const isExpectedIssuer = (iss: unknown, { issuer }: ClaimRules): boolean =>
  issuer === undefined || iss === issuer;

const isExpectedAudience = (aud: unknown, { audience }: ClaimRules): boolean => {
  const named: readonly unknown[] = Array.isArray(aud) ? aud : [aud];
  if (aud !== undefined && !named.every((name) => typeof name === "string")) return false;
  if (audience === undefined) return true;
  return (typeof audience === "string" ? [audience] : audience).some((name) => named.includes(name));
};

const isTime = (value: unknown): value is number => Number.isFinite(value);
const isOptionalTime = (value: unknown): boolean => value === undefined || isTime(value);
const isOptionalText = (value: unknown): boolean =>
  value === undefined || (typeof value === "string" && value !== "");
