import type { Logger } from "@framework/core";
import type { RedisSource } from "./redis-source.ts";
import { isCluster } from "./client/is-cluster.ts";

/**
 * Creates a function that writers call after storing keys that must not be lost before they expire. Its first call checks, in the background, whether a server
 * may evict them, and if so logs `REDIS_EVICTS_KEYS`. Caches and limits may be evicted, so a Redis used only for them is never checked.
 */
export const evictionWarning = (source: RedisSource, log: Pick<Logger, "warn">): (() => void) => {
  let hasChecked = false;
  return () => {
    if (hasChecked) return;
    hasChecked = true;
    void policyOf(source)
      .then((policy) => {
        if (policy !== null) log.warn(warning(policy), { code: "REDIS_EVICTS_KEYS" });
      })
      .catch(() => {}); // INFO is forbidden for the user, or the connection broke; the preceding write reports its own errors
  };
};

/** Returns the policy by which a server evicts keys; `null` if none does. */
const policyOf = async ({ redis }: RedisSource): Promise<string | null> => {
  const nodes = isCluster(redis) ? redis.nodes("master") : [redis];
  const texts = await Promise.all(nodes.map((node) => node.info("memory")));
  const policies = texts
    .filter((text) => !/^maxmemory:0\r?$/m.test(text))
    .map((text) => /^maxmemory_policy:(\S+)/m.exec(text)?.[1] ?? "noeviction");
  return policies.find((policy) => policy !== "noeviction") ?? null;
};

const warning = (policy: string): string =>
  `redis: the server evicts keys when its memory is full (maxmemory-policy ${policy}), which makes ended sessions and revoked tokens valid again; set maxmemory-policy to noeviction`;
