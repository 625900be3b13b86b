import { createHash } from "node:crypto";

/** Valid ids of message groups and deduplication ids in SQS. */
const VALID = /^[!-~]{1,128}$/;

/** Returns the message group id: the key, or its hash. Each message without a key has its own group. */
export const groupIdOf = ({ key, id }: { readonly key: string | null; readonly id: string }): string => {
  const text = key ?? id;
  return VALID.test(text) ? text : hashOf(text);
};

/**
 * Returns the deduplication id, by which SQS drops a repeated send for 5 minutes. Derived from more than the message id, because two systems may use the same id for
 * different events, and replays must not be dropped.
 */
export const deduplicationIdOf = (...parts: readonly (string | Uint8Array)[]): string => {
  const hash = createHash("sha256");
  for (const part of parts) hash.update(part).update("\0");
  return hash.digest("hex");
};

const hashOf = (text: string): string => createHash("sha256").update(text).digest("base64url");
