import type { Cluster, ClusterOptions, Redis, RedisOptions } from "ioredis";
import type { Operations } from "@framework/core/feature";
import type { RedisConfig } from "../redis-config.ts";
import { addressesOf } from "./addresses.ts";
import { backoffMs, createWake } from "./backoff.ts";
import type { RedisMetrics } from "./metrics.ts";
import { gate } from "./gate.ts";
import { ioredis, type IoredisClient } from "./ioredis.ts";

/** Dependencies of a client. */
export interface ClientOptions {
  readonly metrics: RedisMetrics;
  /** Publishes each command. */
  readonly operations: Operations<{ readonly name: string }>;
  /** Called with every error of a connection. */
  readonly failed: (error: Error) => void;
  /** Milliseconds that a command may take, where it is not what the record says. */
  readonly timeoutMs?: () => number;
  /** Called when a command may have changed the connection's state. */
  readonly spoilt?: () => void;
}

/** A client that connects when it is first used, never repeats a command by itself, and bounds all waiting. */
export const createClient = (config: RedisConfig, options: ClientOptions): IoredisClient => {
  const client = config.clusterMode ? createCluster(config, options) : createSingle(config, options);
  const { metrics, operations, timeoutMs = () => config.commandTimeoutMs, spoilt = () => {} } = options;
  const { maxQueue, defaultTtlSecs } = config;
  let lastAttempt = -Infinity;
  client.on("connecting", () => (lastAttempt = performance.now()));
  client.on("error", options.failed);
  const wake = createWake(client, () => lastAttempt);
  gate(client, { metrics, operations, maxQueue, defaultTtlSecs, timeoutMs, wake, spoilt });
  return client;
};

/** The shape of answers is the one that ioredis always gave. */
type OwnOptions = Omit<RedisOptions, "replyMapping">;

/** Options of every connection. With no attempts per request, whatever is under way when a connection breaks fails at once. */
const connectionOptions = (config: RedisConfig, isLent: boolean): OwnOptions => {
  const [address] = addressesOf(config);
  const { commandTimeoutMs, connectionTimeoutSecs, keyPrefix } = config;
  return {
    lazyConnect: true,
    connectionName: "framework",
    connectTimeout: connectionTimeoutSecs * 1000,
    // A connection that is given up is not waited for: its other end may be gone.
    disconnectTimeout: 100,
    maxRetriesPerRequest: 0,
    autoResendUnfulfilledCommands: false,
    // A connection whose other end is gone without a word is left by the second; leased ones may have to wait for longer, and their gate sees to it.
    ...(!isLent && { socketTimeout: commandTimeoutMs, commandTimeout: commandTimeoutMs }),
    ...(keyPrefix !== undefined && { keyPrefix }),
    ...(address?.username !== undefined && { username: address.username }),
    ...(address?.password !== undefined && { password: address.password }),
    ...(address?.tls === true && { tls: { servername: address.host } }),
    // After a failover the old master is a replica: look for the new one; the command was refused, not done.
    reconnectOnError: (error) => error.message.startsWith("READONLY"),
  };
};

const createSingle = (config: RedisConfig, { metrics, timeoutMs }: ClientOptions): Redis => {
  const [address] = addressesOf(config);
  const { Redis } = ioredis();
  const client = new Redis({
    ...connectionOptions(config, timeoutMs !== undefined),
    host: address?.host ?? "localhost",
    port: address?.port ?? 6379,
    db: address?.database ?? 0,
    retryStrategy: (attempt) => backoffMs(attempt),
  });
  count(client, metrics);
  return client;
};

const createCluster = (config: RedisConfig, { metrics, failed, timeoutMs }: ClientOptions): Cluster => {
  const nodes = addressesOf(config);
  const { tls, db: _, ...redisOptions } = connectionOptions(config, timeoutMs !== undefined);
  const options: Omit<ClusterOptions, "redisOptions"> & { readonly redisOptions: OwnOptions } = {
    lazyConnect: true,
    clusterRetryStrategy: (attempt) => backoffMs(attempt),
    // Its own repetition would send a command again of which nobody knows whether it was done.
    retryDelayOnFailover: 0,
    retryDelayOnClusterDown: 100,
    maxRedirections: 8,
    ...(config.keyPrefix !== undefined && { keyPrefix: config.keyPrefix }),
    redisOptions: { ...redisOptions, ...(tls !== undefined && { tls }) },
    ...(tls !== undefined && {
      // Certificates are for names.
      dnsLookup: (address: string, callback: (error: null, address: string) => void): void =>
        callback(null, address),
    }),
  };
  const { Cluster } = ioredis();
  const cluster = new Cluster(
    nodes.map(({ host, port }) => ({ host, port })),
    options,
  );
  const refresh = refresher(cluster);
  cluster.on("node error", (error: Error) => {
    failed(error);
    refresh();
  });
  cluster.on("-node", refresh);
  cluster.on("+node", (node: Redis) => count(node, metrics));
  return cluster;
};

/** Looks who serves what, soon after a node was lost and until it is known again; not for every command that failed. */
const refresher = (cluster: Cluster): (() => void) => {
  let timer: NodeJS.Timeout | undefined;
  return () => {
    timer ??= setTimeout(() => {
      timer = undefined;
      if (cluster.status === "ready") cluster.refreshSlotsCache();
    }, 100).unref();
  };
};

const count = (client: Redis, metrics: RedisMetrics): void => {
  let isOpen = false;
  let wasOpen = false;
  client.on("ready", () => {
    if (isOpen) return;
    isOpen = true;
    metrics.connections++;
    if (wasOpen) metrics.reconnects++;
    wasOpen = true;
  });
  client.on("close", () => {
    if (isOpen) metrics.connections--;
    isOpen = false;
  });
};
