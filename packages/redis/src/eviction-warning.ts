import type { Logger } from "@framework/core";
import type { RedisSource } from "./redis-source.ts";
import { isCluster } from "./client/is-cluster.ts";

/**
 * Creates a function for the writers of keys that must not be lost before they expire. Its first call looks whether a server may evict them, and logs
 * `REDIS_EVICTS_KEYS` if so, beside the request. Caches and limits may be evicted, so that a Redis of those alone is never asked.
 */
export const evictionWarning = (source: RedisSource, log: Pick<Logger, "warn">): (() => void) => {
  let hasLooked = false;
  return () => {
    if (hasLooked) return;
    hasLooked = true;
    void policyOf(source)
      .then((policy) => {
        if (policy !== null) log.warn(warning(policy), { code: "REDIS_EVICTS_KEYS" });
      })
      .catch(() => {}); // the user may not call INFO, or the connection broke: the write that was made before has its own outcome
  };
};

/** The policy by which a server evicts keys; `null` when none does. */
const policyOf = async ({ redis }: RedisSource): Promise<string | null> => {
  const nodes = isCluster(redis) ? redis.nodes("master") : [redis];
  const texts = await Promise.all(nodes.map((node) => node.info("memory")));
  const policies = texts
    .filter((text) => !/^maxmemory:0\r?$/m.test(text))
    .map((text) => /^maxmemory_policy:(\S+)/m.exec(text)?.[1] ?? "noeviction");
  return policies.find((policy) => policy !== "noeviction") ?? null;
};

const warning = (policy: string): string =>
  `redis: the server evicts keys when its memory is full (maxmemory-policy ${policy}), and ended sessions and revoked tokens are then valid again; set maxmemory-policy to noeviction`;
