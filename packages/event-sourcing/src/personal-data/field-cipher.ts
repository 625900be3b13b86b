import { createCipheriv, createDecipheriv, randomBytes } from "node:crypto";

const CIPHER = "aes-256-gcm";
const IV_BYTES = 12;
const TAG_BYTES = 16;
/** Size of a key, in bytes. */
export const KEY_BYTES = 32;

/** Encrypts JSON text with AES-256-GCM. `aad` is authenticated, so that a value cannot be moved to another event or field. */
export const encryptText = (text: string, key: Uint8Array, aad: string): string => {
  const iv = randomBytes(IV_BYTES);
  const cipher = createCipheriv(CIPHER, key, iv);
  cipher.setAAD(Buffer.from(aad, "utf8"));
  const body = Buffer.concat([cipher.update(text, "utf8"), cipher.final()]);
  return Buffer.concat([iv, cipher.getAuthTag(), body]).toString("base64");
};

/** Decrypts the output of `encryptText`. @throws if it was changed, moved, or encrypted with another key */
export const decryptText = (encrypted: string, key: Uint8Array, aad: string): string => {
  const bytes = Buffer.from(encrypted, "base64");
  const decipher = createDecipheriv(CIPHER, key, bytes.subarray(0, IV_BYTES), { authTagLength: TAG_BYTES });
  decipher.setAAD(Buffer.from(aad, "utf8"));
  decipher.setAuthTag(bytes.subarray(IV_BYTES, IV_BYTES + TAG_BYTES));
  const body = bytes.subarray(IV_BYTES + TAG_BYTES);
  return Buffer.concat([decipher.update(body), decipher.final()]).toString("utf8");
};
