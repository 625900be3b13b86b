import type { AppSettings, Problem } from "@framework/core";

const WARNED_KEY = "auth:memory-warning";
/** Lifetime of the marker that a worker has warned: longer than all workers take to start. */
const WARNED_TTL_MS = 600_000;

/** Advice for a deployment that keeps revocations in memory. */
export const revocationsInMemory: Problem = {
  code: "AUTH_REVOCATIONS_IN_MEMORY",
  message:
    "revoked tokens are kept in the memory of this host: after a restart they are valid again until they expire; set JwtConfig.store",
};

/** In production, logs in one of the workers that revocations are kept in memory. */
export const warnOfMemory = async ({ env, shared, log }: AppSettings): Promise<void> => {
  if (env !== "production" || shared.values.isPersistent) return;
  if (!(await shared.values.set(WARNED_KEY, 1, { ttlMs: WARNED_TTL_MS, ifAbsent: true }))) return;
  log.warn(revocationsInMemory.message, { code: revocationsInMemory.code });
};
