import { addressesOf } from "./client/addresses.ts";
import type { RedisConfig } from "./redis-config.ts";

/** Returns the contradictions between options. */
export const configProblems = (config: RedisConfig): readonly string[] => {
  const { url, clusterMode, poolSize, minIdle } = config;
  const problems: string[] = [];
  if (!clusterMode && url.includes(",")) {
    problems.push("RedisConfig.url lists several nodes; set clusterMode: true for a cluster");
  }
  if (clusterMode && addressesOf(config).some((each) => each.database !== 0))
    problems.push("RedisConfig.database must be 0 in cluster mode");
  if (minIdle > poolSize) problems.push("RedisConfig.minIdle must not be above poolSize");
  return problems;
};
