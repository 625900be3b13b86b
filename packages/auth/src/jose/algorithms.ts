import type { KeyObject } from "node:crypto";

/** Signature algorithms (RFC 7518 3.1, RFC 8037 3.1). */
export const algorithms = [
  "HS256",
  "HS384",
  "HS512",
  "RS256",
  "RS384",
  "RS512",
  "PS256",
  "PS384",
  "PS512",
  "ES256",
  "ES384",
  "ES512",
  "EdDSA",
] as const;

/** A signature algorithm; each configuration has one, and tokens cannot choose. */
export type JwtAlgorithm = (typeof algorithms)[number];

/** Whether an algorithm is symmetric, with one shared secret. */
export const isHmac = (algorithm: JwtAlgorithm): boolean => algorithm.startsWith("HS");

/** Minimum size of an RSA key, in bits (RFC 7518 3.3). */
export const MIN_RSA_BITS = 2048;

const curves: Partial<Record<JwtAlgorithm, string>> = {
  ES256: "prime256v1",
  ES384: "secp384r1",
  ES512: "secp521r1",
};

/** Describes the required asymmetric key, for messages. */
export const keyDescription = (algorithm: JwtAlgorithm): string => {
  const curve = curves[algorithm];
  if (curve !== undefined) return `an elliptic curve key on ${curve}`;
  return algorithm === "EdDSA" ? "an Ed25519 key" : "an RSA key";
};

/** Whether a key has the type that its algorithm needs, of any size. */
export const fits = (key: KeyObject, algorithm: JwtAlgorithm): boolean => {
  const { asymmetricKeyType: type, asymmetricKeyDetails: details = {} } = key;
  const curve = curves[algorithm];
  if (curve !== undefined) return type === "ec" && details.namedCurve === curve;
  if (algorithm === "EdDSA") return type === "ed25519";
  return type === "rsa";
};

/** Whether a key is an RSA key that is too short. */
export const isWeak = ({ asymmetricKeyDetails: details }: KeyObject): boolean =>
  details?.modulusLength !== undefined && details.modulusLength < MIN_RSA_BITS;
