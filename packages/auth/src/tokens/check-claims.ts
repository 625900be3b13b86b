import type { JwtConfig } from "./jwt-config.ts";

/** Rules for claims. */
export type ClaimRules = Pick<JwtConfig, "requiredClaims" | "issuer" | "audience" | "leewaySecs">;

/** Longest `jti`, in characters. */
export const MAX_ID = 256;

/** Claim values by name. */
export type RawClaims = Readonly<Record<string, unknown>>;

/** Whether claims are valid now and for this audience (RFC 7519 4.1): `sub` and `exp` are required, and now ≥ `exp` is expired. */
export const areAcceptable = (claims: RawClaims, rules: ClaimRules, nowSecs: number): boolean =>
  wrongClaim(claims, rules) === null && areInForce(claims, rules.leewaySecs, nowSecs);

/** Returns the name of a claim that makes a token unacceptable at any time, `null` for none. */
export const wrongClaim = (claims: RawClaims, rules: ClaimRules): string | null => {
  const { sub, iss, jti, iat, exp, nbf, aud } = claims;
  for (const name of rules.requiredClaims)
    if (claims[name] === undefined || claims[name] === null) return name;
  if (sub === undefined || !isMaybeText(sub)) return "sub";
  if (!isMaybeText(iss) || !isExpectedIssuer(iss, rules)) return "iss";
  if (!isForUs(aud, rules)) return "aud";
  if (!isMaybeText(jti) || (typeof jti === "string" && jti.length > MAX_ID)) return "jti";
  if (!isMaybeTime(iat)) return "iat";
  if (!isTime(exp)) return "exp";
  return isMaybeTime(nbf) ? null : "nbf";
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
