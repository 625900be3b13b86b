import { createHmac, createSecretKey, type KeyObject, timingSafeEqual } from "node:crypto";
import type { JwtAlgorithm } from "./algorithms.ts";
import type { Signatures } from "./signature.ts";

/**
 * Signatures of an HS algorithm (RFC 7518 3.2) with the synchronous HMAC of `node:crypto`: a round trip through the thread pool takes many times as
 * long as hashing a token.
 */
export const createHmacSignatures = (algorithm: JwtAlgorithm): Signatures => {
  const hash = `sha${algorithm.slice(2)}`;
  const digest = (text: string, key: KeyObject): Buffer => createHmac(hash, key).update(text).digest();
  return {
    // The parser has refused signatures of another length, as `timingSafeEqual` requires.
    verify: ({ signed, payload, signature }, key) =>
      timingSafeEqual(digest(signed, key as KeyObject), signature) ? payload : null,
    sign(payload, header, key) {
      const signed = `${encode(JSON.stringify({ alg: algorithm, ...header }))}.${encode(payload)}`;
      return `${signed}.${digest(signed, key as KeyObject).toString("base64url")}`;
    },
  };
};

const encode = (text: string): string => Buffer.from(text).toString("base64url");

/** Imports a secret as a reusable key. */
export const hmacKey = (secret: Uint8Array): KeyObject => createSecretKey(secret);
