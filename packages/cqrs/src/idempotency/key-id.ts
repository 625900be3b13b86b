import { createHash } from "node:crypto";

/** An idempotency key with its scope: the same string from another caller, or for another operation, is a different key. */
export interface ScopedKey {
  readonly tenant: string;
  readonly caller: string;
  /** Name of the command, with the prefix `queued ` if it is queued; or method and pattern of the route. */
  readonly operation: string;
  readonly key: string;
}

/** Ids derived from an idempotency key and its scope. */
export interface KeyId {
  /** Primary key of its row: 43 characters. */
  readonly id: string;
  /** Key of its advisory lock on PostgreSQL: the first 64 bits of the hash. */
  readonly lock: bigint;
}

export const keyId = ({ tenant, caller, operation, key }: ScopedKey): KeyId => {
  const hash = sha256(JSON.stringify([tenant, caller, operation, key]));
  return { id: hash.toString("base64url"), lock: hash.readBigInt64BE(0) };
};

/** Returns the key of a lane's advisory lock on PostgreSQL. @param key value of the command's `key`, not its idempotency key */
export const laneLock = (tenant: string, key: string): bigint =>
  sha256(JSON.stringify(["lane", tenant, key])).readBigInt64BE(0);

/** Returns a SHA-256 of the parts, such as the input of a call with a key. Each part is preceded by its length, so `ab, c` and `a, bc` differ. */
export const fingerprintOf = (...parts: readonly (string | Uint8Array)[]): string => {
  const hash = createHash("sha256");
  for (const part of parts) {
    const bytes = typeof part === "string" ? Buffer.from(part) : part;
    hash.update(`${bytes.byteLength}:`).update(bytes);
  }
  return hash.digest("base64url");
};

const sha256 = (text: string): Buffer => createHash("sha256").update(text).digest();
