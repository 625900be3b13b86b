import { createHmac, generateKeyPairSync, type KeyObject, sign } from "node:crypto";

// Creates forged tokens: any string as header and payload, signed or not.
export const secret = "0123456789abcdef0123456789abcdef";
export const nowSecs = 1_800_000_000;
export const validClaims: Readonly<Record<string, unknown>> = { sub: "ann", exp: nowSecs + 60 };

export const base64url = (value: unknown): string =>
  Buffer.from(typeof value === "string" ? value : JSON.stringify(value)).toString("base64url");

/** An asymmetric key pair. */
export interface KeyPair {
  readonly publicKey: KeyObject;
  readonly privateKey: KeyObject;
}

type Signer = (input: string) => Uint8Array;

export const hmac =
  (key: string | Uint8Array = secret, hash = "sha256"): Signer =>
  (input) =>
    createHmac(hash, key).update(input).digest();

export const signedBy =
  (key: KeyObject, hash: string | null = "sha256"): Signer =>
  (input) =>
    sign(hash, Buffer.from(input), key.asymmetricKeyType === "ec" ? { key, dsaEncoding: "ieee-p1363" } : key);

/** Creates a token from header and claims, each a value or the string to encode. */
export const forge = (header: unknown, claims: unknown = validClaims, signer: Signer = hmac()): string => {
  const input = `${base64url(header)}.${base64url(claims)}`;
  return `${input}.${Buffer.from(signer(input)).toString("base64url")}`;
};

export const rsa: KeyPair = generateKeyPairSync("rsa", { modulusLength: 2048 });
export const ec: KeyPair = generateKeyPairSync("ec", { namedCurve: "P-256" });
export const ed: KeyPair = generateKeyPairSync("ed25519");

export const pem = (key: KeyObject): string =>
  key.export({ format: "pem", type: key.type === "private" ? "pkcs8" : "spki" }).toString();
export const jwk = (key: KeyObject): Record<string, unknown> =>
  key.export({ format: "jwk" }) as Record<string, unknown>;
