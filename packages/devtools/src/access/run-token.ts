import { createHash, randomBytes, timingSafeEqual } from "node:crypto";
import type { SharedValues } from "@framework/core/feature";

/** Ten years: the token must not expire during a run. */
const TTL_MS = 10 * 365 * 86_400_000;

/** Number of reserved tokens. A worker runs the same program as its primary process, so both use the same variable names. */
let reserved = 0;

/**
 * Reserves the token of an app before it starts, in an environment variable that a primary process passes to its workers, so that an open page keeps its
 * access when a source change replaces the worker. Returns a function that removes the variable, which other child processes must not inherit, and returns
 * the token.
 */
export const reserveToken = (environment: NodeJS.ProcessEnv = process.env): (() => string) => {
  const variable = `FRAMEWORK_DEVTOOLS_TOKEN_${++reserved}`;
  const token = (environment[variable] ??= randomBytes(32).toString("base64url"));
  return () => {
    delete environment[variable];
    return token;
  };
};

/** Returns the token of this run, 256 random bits, the same in every worker. It is stored only in memory. */
export const runToken = async (values: SharedValues, own: string): Promise<string> => {
  if (await values.set("devtools.token", own, { ttlMs: TTL_MS, ifAbsent: true })) return own;
  return (await values.get("devtools.token")) as string; // another worker was first
};

/** Compares tokens in constant time. */
export const isToken = (given: string, token: string): boolean => timingSafeEqual(hash(given), hash(token));

const hash = (text: string): Buffer => createHash("sha256").update(text).digest();
