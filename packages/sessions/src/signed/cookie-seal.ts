import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  hkdfSync,
  randomBytes,
  timingSafeEqual,
} from "node:crypto";

/** A key for signatures or encryption. */
export type Secret = string | Uint8Array;

/** Signs or encrypts cookie values, so that only the holder of a key can create them. */
export interface CookieSeal {
  /** Signs or encrypts a string with the first key. */
  seal(text: string): string;
  /** Returns the string of a value that was sealed with any of the keys, else `null`. */
  open(value: string): string | null;
}

const IV_BYTES = 12;
const TAG_BYTES = 16;

/** Signs with HMAC-SHA-256; anyone who has the cookie can read the content. */
export const signedSeal = (secrets: readonly Secret[]): CookieSeal => {
  const keys = secrets.map((secret) => deriveKey(secret, "signature"));
  const signature = (key: Buffer, payload: string): Buffer =>
    createHmac("sha256", key).update(payload).digest();
  return {
    seal(text) {
      const payload = Buffer.from(text).toString("base64url");
      return `${payload}.${signature(keys[0] ?? Buffer.alloc(0), payload).toString("base64url")}`;
    },
    open(value) {
      const [payload = "", given = "", ...rest] = value.split(".");
      const [text, bytes] = [decode(payload), decode(given)];
      if (rest.length > 0 || text === null || bytes === null) return null;
      const isSigned = keys.some((key) => areSame(bytes, signature(key, payload)));
      return isSigned ? text.toString() : null;
    },
  };
};

/** Encrypts with AES-256-GCM, which also authenticates; each value has a random 96-bit nonce. */
export const encryptedSeal = (secrets: readonly Secret[]): CookieSeal => {
  const keys = secrets.map((secret) => deriveKey(secret, "encryption"));
  return {
    seal(text) {
      const iv = randomBytes(IV_BYTES);
      const cipher = createCipheriv("aes-256-gcm", keys[0] ?? Buffer.alloc(0), iv);
      const hidden = Buffer.concat([cipher.update(text, "utf8"), cipher.final()]);
      return Buffer.concat([iv, hidden, cipher.getAuthTag()]).toString("base64url");
    },
    open(value) {
      const bytes = decode(value);
      if (bytes === null || bytes.length <= IV_BYTES + TAG_BYTES) return null;
      for (const key of keys) {
        const text = decrypt(key, bytes);
        if (text !== null) return text;
      }
      return null;
    },
  };
};

const decrypt = (key: Buffer, bytes: Buffer): string | null => {
  const decipher = createDecipheriv("aes-256-gcm", key, bytes.subarray(0, IV_BYTES), {
    authTagLength: TAG_BYTES,
  });
  decipher.setAuthTag(bytes.subarray(-TAG_BYTES));
  try {
    const text = decipher.update(bytes.subarray(IV_BYTES, -TAG_BYTES));
    return Buffer.concat([text, decipher.final()]).toString();
  } catch {
    return null; // of another key, or forged
  }
};

/** Decodes canonical base64url, as written by `seal`; `null` for anything else. */
const decode = (text: string): Buffer | null => {
  const bytes = Buffer.from(text, "base64url");
  return bytes.toString("base64url") === text ? bytes : null;
};

/** Derives a key for one purpose (RFC 5869), so that a secret may be shared with other features. */
const deriveKey = (secret: Secret, purpose: string): Buffer =>
  Buffer.from(hkdfSync("sha256", secret, "", `@framework/sessions v1 ${purpose}`, 32));

const areSame = (one: Buffer, other: Buffer): boolean =>
  one.length === other.length && timingSafeEqual(one, other);
