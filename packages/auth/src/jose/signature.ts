import type { KeyObject, webcrypto } from "node:crypto";
import type { Awaitable } from "@framework/core";
import type { JwtAlgorithm } from "./algorithms.ts";
import type { CompactToken } from "./compact-token.ts";

/** A signing or verification key: a `KeyObject` of Node, or a `CryptoKey` of Web Crypto. */
export type SigningKey = KeyObject | webcrypto.CryptoKey;

/** Signs and verifies with one algorithm. */
export interface Signatures {
  /** Returns the payload of a token with a valid signature, else `null`. */
  verify(token: CompactToken, key: SigningKey): Awaitable<Uint8Array | null>;
  sign(
    payload: string,
    header: { readonly typ: string; readonly kid?: string },
    key: SigningKey,
  ): Awaitable<string>;
}

/** Loads jose, which only asymmetric algorithms need. */
export const loadSignatures = async (algorithm: JwtAlgorithm): Promise<Signatures> => {
  const { CompactSign, compactVerify } = await import("jose");
  const algorithms = [algorithm];
  return {
    async verify({ text }, key) {
      try {
        return (await compactVerify(text, key, { algorithms })).payload;
      } catch {
        return null; // any failure means that the token was not verified
      }
    },
    sign: (payload, header, key) =>
      new CompactSign(new TextEncoder().encode(payload))
        .setProtectedHeader({ alg: algorithm, ...header })
        .sign(key),
  };
};
