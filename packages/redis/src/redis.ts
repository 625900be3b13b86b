import type { ConfigInput, Feature, Host, HostInsight } from "@framework/core/feature";
import { dependency, FrameworkError, type Logger, type Token } from "@framework/core";
import { commandOperation } from "./client/command-operation.ts";
import { isCluster } from "./client/is-cluster.ts";
import type { IoredisClient } from "./client/ioredis.ts";
import { Connections, type LeaseOptions } from "./open-redis.ts";
import { configProblems } from "./config-problems.ts";
import { RedisConfig } from "./redis-config.ts";
import { redisPermits } from "./shared-state/redis-permits.ts";
import { redisValues, type RedisValues } from "./shared-state/redis-values.ts";

/** Members that the feature adds to an app. */
export interface RedisMethods {
  /**
   * Adds a client for Redis or a Redis Cluster: `app.redis`, `request.app.redis`, and the dependency `RedisClient`. It connects when first used.
   *
   * @throws CORE_BAD_CONFIG at start, together with all other configuration errors
   */
  enableRedis(config?: ConfigInput<RedisConfig>): this;
  /** ioredis' client. @throws REDIS_NOT_ENABLED before `enableRedis` */
  readonly redis: IoredisClient;
  /**
   * Calls `run` with a leased connection, for blocking commands and for `WATCH`, until its promise settles.
   *
   * @throws RedisUnavailableError (503) if none is free in time; REDIS_NOT_ENABLED; CORE_BAD_ARGUMENT for a `timeoutMs` that is negative or not a number
   */
  withRedis<T>(run: (redis: IoredisClient) => Promise<T>, options?: LeaseOptions): Promise<T>;
}

/** ioredis' client of one server, or of a cluster. Both have every command of Redis. */
export type RedisClient = IoredisClient;

/** The client as a dependency: `app.get("/", { inject: { redis: RedisClient } }, (request, { redis }) => redis.get("greeting"))`. */
export const RedisClient: Token<IoredisClient> = dependency<IoredisClient>("redis");

/**
 * Adds an ioredis client to an app, and optionally a shared state for its features across hosts.
 *
 * @example
 * const app = new (App.with(redis))().enableRedis({ url: "redis://localhost:6379", shared: true });
 * app.get("/visits", ({ app }) => app.redis.incr("visits"));
 */
export const redis: Feature<RedisMethods> = {
  name: "redis",
  install: (host) => {
    let open: EnabledRedis | null = null;
    const requireEnabled = (member: string): EnabledRedis => {
      if (open !== null) return open;
      throw new FrameworkError("REDIS_NOT_ENABLED", `call enableRedis before using ${member}`);
    };
    return {
      enableRedis(config) {
        open = new EnabledRedis(host, host.configure(RedisConfig, config));
        return this;
      },
      get redis() {
        return requireEnabled("redis").connections.redis;
      },
      withRedis: (run, options) => requireEnabled("withRedis").connections.withRedis(run, options),
    };
  },
};

/** The connections that `enableRedis` opened. */
class EnabledRedis {
  readonly connections: Connections;
  private log: Logger | null = null;

  constructor(host: Host, config: RedisConfig) {
    for (const message of configProblems(config)) host.problem({ code: "CORE_BAD_CONFIG", message });
    this.connections = new Connections(config, () => this.log, host.insight.operation(commandOperation));
    const { connections } = this;
    host.state.provide(RedisClient, { create: () => connections.redis });
    host.life.onStart({ name: "redis", run: ({ log }) => void (this.log = log) });
    if (config.shared) {
      const log: Pick<Logger, "error" | "warn"> = {
        error: (message, fields) => this.log?.error(message, fields),
        warn: (message, fields) => this.log?.warn(message, fields),
      };
      let values: RedisValues | null = null;
      const close = async (): Promise<void> => {
        await values?.close();
        await connections.close();
      };
      // Totals stay in the primary process: they are metrics, and every host is scraped separately.
      host.state.provideShared(
        {
          values: () =>
            (values = redisValues(connections, {
              name: "shared",
              connectionTimeoutMs: config.connectionTimeoutSecs * 1000,
              log,
            })),
          permits: () => redisPermits(connections, { name: "shared" }),
        },
        { name: "redis", run: close },
      );
    } else host.life.onStop({ name: "redis", run: () => connections.close() });
    report(host, connections);
  }
}

const report = (host: Host, connections: Connections): void => {
  const { metrics } = connections;
  host.insight.healthCheck({
    name: "redis",
    run: async (signal) => {
      const { redis } = connections;
      const state = isCluster(redis) ? await redis.cluster("INFO") : await redis.ping();
      signal.throwIfAborted();
      if (isCluster(redis) && !state.includes("cluster_state:ok")) {
        throw new FrameworkError("REDIS_CLUSTER_DOWN", "the cluster does not serve all slots");
      }
      return { mode: isCluster(redis) ? "cluster" : "single", ...metrics };
    },
  });
  const count = (name: string, help: string, read: () => number): HostInsight =>
    host.insight.metric({ name: `redis_${name}_total`, help, type: "counter", read });
  count("commands", "Commands requested.", () => metrics.commands);
  count("failures", "Commands that failed or timed out.", () => metrics.failures);
  count("reconnects", "Reconnects to Redis.", () => metrics.reconnects);
  const gauge = (name: string, help: string, read: () => number): HostInsight =>
    host.insight.metric({ name: `redis_${name}`, help, type: "gauge", read });
  gauge("connections", "Open connections to Redis.", () => metrics.connections);
  gauge("connections_leased", "Open connections of withRedis.", () => connections.leasedCount);
  gauge("waiting_commands", "Commands that wait for a connection to Redis.", () => metrics.waiting);
  host.insight.expose("redis", () => ({ ...metrics, leased: connections.leasedCount }));
};
