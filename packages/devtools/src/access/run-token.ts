import { createHash, randomBytes, timingSafeEqual } from "node:crypto";
import type { SharedValues } from "@framework/core/feature";

/** Ten years: the token must not expire during a run. */
const TTL_MS = 10 * 365 * 86_400_000;

/** Returns the token of this run, 256 random bits, the same in every worker. It is stored only in memory. */
export const runToken = async (values: SharedValues): Promise<string> => {
  const own = randomBytes(32).toString("base64url");
  if (await values.set("devtools.token", own, { ttlMs: TTL_MS, ifAbsent: true })) return own;
  return (await values.get("devtools.token")) as string; // another worker was first
};

/** Compares tokens in constant time. */
export const isToken = (given: string, token: string): boolean => timingSafeEqual(hash(given), hash(token));

const hash = (text: string): Buffer => createHash("sha256").update(text).digest();
