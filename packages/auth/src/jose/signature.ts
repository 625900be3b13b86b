import type { KeyObject, webcrypto } from "node:crypto";
import type { JwtAlgorithm } from "./algorithms.ts";
import type { CompactToken } from "./compact-token.ts";

/** A key as the library of signatures takes it. */
export type SigningKey = KeyObject | webcrypto.CryptoKey;

/** Signs and verifies with one algorithm. */
export interface Signatures {
  /** The payload of a token whose signature is right, else `null`. */
  verify(token: CompactToken, key: SigningKey): Promise<Uint8Array | null>;
  sign(
    payload: string,
    header: { readonly typ: string; readonly kid?: string },
    key: SigningKey,
  ): Promise<string>;
}

/** Loads the library, which only apps with tokens need. */
export const loadSignatures = async (algorithm: JwtAlgorithm): Promise<Signatures> => {
  const { CompactSign, compactVerify } = await import("jose");
  const algorithms = [algorithm];
  return {
    async verify({ text }, key) {
      try {
        return (await compactVerify(text, key, { algorithms })).payload;
      } catch {
        return null; // whatever went wrong with a client's token, it was not verified
      }
    },
    sign: (payload, header, key) =>
      new CompactSign(new TextEncoder().encode(payload))
        .setProtectedHeader({ alg: algorithm, ...header })
        .sign(key),
  };
};

/** A secret as a key that is made ready once. */
export const hmacKey = (
  secret: Uint8Array<ArrayBuffer>,
  algorithm: JwtAlgorithm,
): Promise<webcrypto.CryptoKey> => {
  const hash = `SHA-${algorithm.slice(2)}`;
  return crypto.subtle.importKey("raw", secret, { name: "HMAC", hash }, false, ["sign", "verify"]);
};
