import { createHash, randomBytes, timingSafeEqual } from "node:crypto";
import type { SharedValues } from "@framework/core/feature";

/** Ten years: the token lives as long as the service. */
const TTL_MS = 10 * 365 * 86_400_000;

/** Returns the token of this run, 256 random bits, the same in every worker. It is in the memory of the service only. */
export const runToken = async (values: SharedValues): Promise<string> => {
  const own = randomBytes(32).toString("base64url");
  if (await values.set("devtools.token", own, { ttlMs: TTL_MS, ifAbsent: true })) return own;
  return (await values.get("devtools.token")) as string; // another worker was first
};

/** Compares in a time that does not depend on where the texts differ. */
export const isToken = (given: string, token: string): boolean => timingSafeEqual(hash(given), hash(token));

const hash = (text: string): Buffer => createHash("sha256").update(text).digest();
