import type { JwtAlgorithm } from "./algorithms.ts";
import { parseJsonObject } from "./json-object.ts";

/** Maximum length of a token. */
export const MAX_TOKEN_LENGTH = 8192;

/** A well-formed token; its content is untrusted until its signature has been verified. */
export interface CompactToken {
  readonly text: string;
  /** The signing input: encoded header and payload. */
  readonly signed: string;
  readonly payload: Uint8Array;
  readonly signature: Uint8Array;
  readonly kid: string | undefined;
  /** `typ` in lower case and without `application/`; empty when absent. */
  readonly typ: string;
}

/** Maximum length of a `kid`, in characters. */
export const MAX_KEY_ID_LENGTH = 256;

/** Header members that supply a key, or change what is signed. */
const refusedMembers = ["crit", "b64", "jwk", "jku", "x5u", "x5c", "zip", "enc", "cty"];

/** Length of a signature in bytes; for RSA it is the length of the modulus. */
const signatureLengths: Partial<Record<JwtAlgorithm, number>> = {
  HS256: 32,
  HS384: 48,
  HS512: 64,
  ES256: 64,
  ES384: 96,
  ES512: 132,
  EdDSA: 64,
};

/**
 * Parses a token in compact form (RFC 7515 7.1), strictly: three parts of canonical base64url without padding, the configured algorithm, no
 * critical extension and no embedded key (RFC 8725 3.1, 3.5). `null` for anything else.
 */
export const parseCompactToken = (text: string, algorithm: JwtAlgorithm): CompactToken | null => {
  if (text.length > MAX_TOKEN_LENGTH) return null;
  const [first, second, third, ...more] = text.split(".", 4);
  if (first === undefined || second === undefined || third === undefined || more.length > 0) return null;
  const headerBytes = fromBase64Url(first);
  const payload = fromBase64Url(second);
  const signature = fromBase64Url(third);
  if (headerBytes === null || payload === null || signature === null) return null;
  const { length } = signature;
  if (length === 0 || length !== (signatureLengths[algorithm] ?? length)) return null;
  const header = parseJsonObject(headerBytes);
  if (header === null || header["alg"] !== algorithm) return null;
  if (refusedMembers.some((member) => member in header)) return null;
  const { kid, typ = "" } = header;
  if (typeof typ !== "string" || !isKeyId(kid)) return null;
  const signed = text.slice(0, first.length + 1 + second.length);
  return { text, signed, payload, signature, kid, typ: typ.toLowerCase().replace(/^application\//, "") };
};

const isKeyId = (kid: unknown): kid is string | undefined =>
  kid === undefined || (typeof kid === "string" && kid.length <= MAX_KEY_ID_LENGTH);

/** Decodes canonical base64url, `null` for any other string (RFC 7515 2). */
const fromBase64Url = (text: string): Uint8Array | null => {
  const bytes = Buffer.from(text, "base64url");
  return bytes.toString("base64url") === text ? bytes : null;
};
