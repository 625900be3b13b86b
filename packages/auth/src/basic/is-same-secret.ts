import { createHash, timingSafeEqual } from "node:crypto";

/**
 * Whether a received secret, such as a password or a token, equals the expected one. Compares SHA-256 digests in constant time, so the time does not depend on
 * where the secrets differ. False for anything that is not a string, and for an empty expected secret.
 *
 * @example
 * app.use(new BasicAuth((_name, password) => isSameSecret(password, process.env.TOKEN), { allowEmptyName: "deploy" }));
 */
export const isSameSecret = (received: unknown, expected: string | null | undefined): boolean => {
  const isEqual = timingSafeEqual(digest(received), digest(expected));
  return isEqual && typeof received === "string" && typeof expected === "string" && expected !== "";
};

/** UTF-16, because UTF-8 has the same bytes for all unpaired surrogates. */
const digest = (text: unknown): Uint8Array =>
  createHash("sha256")
    .update(Buffer.from(typeof text === "string" ? text : "", "utf16le"))
    .digest();
