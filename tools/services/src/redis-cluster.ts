import { execFileSync } from "node:child_process";
import { needProgram } from "./programs.ts";
import { startRedis, withRedis } from "./redis.ts";
import type { FragileServer, RunningServer } from "./running-server.ts";
import { untilReady } from "./until-ready.ts";

const MASTERS = 3;
const REPLICAS_EACH = 1;

/** A Redis Cluster whose nodes can be killed separately; the first three are masters at the start. */
export interface RedisCluster extends RunningServer {
  readonly nodes: readonly FragileServer[];
}

/** Options of a Redis Cluster. */
export interface RedisClusterOptions {
  /**
   * `cluster-node-timeout`: milliseconds without a reply from a master before its replica takes over. The default outlasts the pauses of a busy machine, so
   * that no failover happens unexpectedly; a test that kills a master sets it to about a second. @default 30_000
   */
  readonly nodeTimeoutMs?: number;
}

/** Starts a Redis Cluster of three masters with one replica each, on loopback; `url` is a comma-separated list of its nodes. */
export const startRedisCluster = async ({
  nodeTimeoutMs = 30_000,
}: RedisClusterOptions = {}): Promise<RedisCluster> => {
  const cli = needProgram("redis-cli");
  const settings = { "cluster-enabled": "yes", "cluster-node-timeout": String(nodeTimeoutMs) };
  const nodes: FragileServer[] = [];
  const stop = async (): Promise<void> => {
    await Promise.all(nodes.map((node) => node.stop()));
  };
  try {
    for (let started = 0; started < MASTERS * (1 + REPLICAS_EACH); started += 1)
      nodes.push(await startRedis({ settings }));
    const addresses = nodes.map(({ url }) => new URL(url).host);
    const replicas = ["--cluster-replicas", String(REPLICAS_EACH), "--cluster-yes"];
    execFileSync(cli, ["--cluster", "create", ...addresses, ...replicas], {
      stdio: ["ignore", "ignore", "pipe"],
    });
    await untilReady("Redis Cluster", () => checkCluster(nodes), { withinMs: 60_000 });
  } catch (cause) {
    await stop();
    throw cause;
  }
  return { url: nodes.map((node) => node.url).join(","), nodes, stop, [Symbol.asyncDispose]: stop };
};

/** Rejects unless every node reports that all slots are served and all nodes are known. */
const checkCluster = async (nodes: readonly RunningServer[]): Promise<void> => {
  for (const { url } of nodes) {
    const info = await withRedis(url, (client) => client.cluster("INFO"));
    if (!info.includes("cluster_state:ok") || !info.includes(`cluster_known_nodes:${nodes.length}`))
      throw new Error(info);
  }
};
