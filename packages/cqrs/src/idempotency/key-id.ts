import { createHash } from "node:crypto";

/** Scope of an idempotency key: the same string from another caller, or for another operation, is a different key. */
export interface KeyScope {
  readonly tenant: string;
  readonly caller: string;
  /** Name of the command, or method and pattern of the route. */
  readonly operation: string;
  readonly key: string;
}

/** Identifies a key with its scope. */
export interface KeyId {
  /** Primary key of its row: 43 characters. */
  readonly id: string;
  /** Key of its advisory lock on PostgreSQL: 64 bits of the id. */
  readonly lock: bigint;
}

export const keyId = ({ tenant, caller, operation, key }: KeyScope): KeyId => {
  const hash = sha256(JSON.stringify([tenant, caller, operation, key]));
  return { id: hash.toString("base64url"), lock: hash.readBigInt64BE(0) };
};

/** Returns the key of the advisory lock on PostgreSQL that serialises commands with the same key. */
export const laneLock = (tenant: string, key: string): bigint =>
  sha256(JSON.stringify(["lane", tenant, key])).readBigInt64BE(0);

/** Returns a hash of the given parts, such as the input of a call with a key. */
export const fingerprintOf = (...parts: readonly (string | Uint8Array)[]): string => {
  const hash = createHash("sha256");
  for (const part of parts) {
    const bytes = typeof part === "string" ? Buffer.from(part) : part;
    hash.update(`${bytes.byteLength}:`).update(bytes);
  }
  return hash.digest("base64url");
};

const sha256 = (text: string): Buffer => createHash("sha256").update(text).digest();
