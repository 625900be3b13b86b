import { createHash } from "node:crypto";

/** What SQS takes as the id of a message group or of a deduplication. */
const VALID = /^[!-~]{1,128}$/;

/** Id of the message group of a key: the key, or its hash. Messages without a key have a group each. */
export const groupIdOf = ({ key, id }: { readonly key: string | null; readonly id: string }): string => {
  const text = key ?? id;
  return VALID.test(text) ? text : hashOf(text);
};

/**
 * Id by which SQS drops a copy for 5 minutes. Only the same message sent again is one, as a relay does: two systems may use one id for different events, and
 * a replay must not be dropped.
 */
export const deduplicationIdOf = (...parts: readonly (string | Uint8Array)[]): string => {
  const hash = createHash("sha256");
  for (const part of parts) hash.update(part).update("\0");
  return hash.digest("hex");
};

const hashOf = (text: string): string => createHash("sha256").update(text).digest("base64url");
