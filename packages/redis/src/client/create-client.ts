import { isIP } from "node:net";
import type { Cluster, ClusterOptions, Redis, RedisOptions } from "ioredis";
import type { Operations } from "@framework/core/feature";
import type { RedisConfig } from "../redis-config.ts";
import { addressesOf } from "./addresses.ts";
import { backoffMs, createWake } from "./backoff.ts";
import { explainBatches } from "./batch-results.ts";
import type { RedisMetrics } from "./metrics.ts";
import { type Command, wrapSendCommand } from "./send-command.ts";
import { ioredis, type IoredisClient } from "./ioredis.ts";

/** Dependencies of `createClient`. */
export interface ClientOptions {
  readonly metrics: RedisMetrics;
  /** Publishes each command. */
  readonly operations: Operations<{ readonly name: string }>;
  /** Called with every error of a connection. */
  readonly onError: (error: Error) => void;
  /** Timeout of a command in milliseconds. @default the configuration's */
  readonly timeoutMs?: () => number;
  /** Called when a command may have changed the connection's state. */
  readonly onTainted?: () => void;
  /** Returns the error of a command that the client refuses. @default refuses none */
  readonly refusalOf?: (command: Command) => Error | null;
}

/** Creates a client that connects on first use, never resends a command that may have had an effect, and bounds all waits. */
export const createClient = (config: RedisConfig, options: ClientOptions): IoredisClient => {
  const client = config.clusterMode ? createCluster(config, options) : createSingle(config, options);
  const { metrics, operations, timeoutMs = () => config.commandTimeoutMs, onTainted = () => {} } = options;
  const { refusalOf = () => null } = options;
  const { maxQueue, defaultTtlSecs } = config;
  let lastAttempt = -Infinity;
  client.on("connecting", () => (lastAttempt = performance.now()));
  client.on("error", options.onError);
  const wake = createWake(client, () => lastAttempt);
  wrapSendCommand(client, {
    metrics,
    operations,
    maxQueue,
    defaultTtlSecs,
    timeoutMs,
    wake,
    onTainted,
    refusalOf,
  });
  explainBatches(client);
  return client;
};

/** `replyMapping` changes the types of replies; it keeps its default. */
type OwnOptions = Omit<RedisOptions, "replyMapping">;

/** Options of every connection. Without retries per request, pending commands fail as soon as the connection breaks. */
const connectionOptions = (config: RedisConfig, isLeased: boolean): OwnOptions => {
  const [address] = addressesOf(config);
  const { commandTimeoutMs, connectionTimeoutSecs, keyPrefix } = config;
  return {
    lazyConnect: true,
    connectionName: "framework",
    connectTimeout: connectionTimeoutSecs * 1000,
    // Does not wait for the other end of a closed connection; it may be unreachable.
    disconnectTimeout: 100,
    maxRetriesPerRequest: 0,
    autoResendUnfulfilledCommands: false,
    // Closes connections without replies (half-open TCP). Leased connections may block for longer; `wrapSendCommand` enforces their timeouts.
    ...(!isLeased && { socketTimeout: commandTimeoutMs, commandTimeout: commandTimeoutMs }),
    ...(keyPrefix !== undefined && { keyPrefix }),
    ...(address?.username !== undefined && { username: address.username }),
    ...(address?.password !== undefined && { password: address.password }),
    ...(address?.tls === true && { tls: tlsTo(address.host) }),
    // READONLY: after a failover the old master is a replica. The command had no effect; reconnecting finds the new master.
    reconnectOnError: (error) => error.message.startsWith("READONLY"),
  };
};

/** Certificates are issued for host names; TLS has no names for addresses (RFC 6066, section 3). */
const tlsTo = (host: string): { readonly servername?: string } =>
  isIP(host) === 0 ? { servername: host } : {};

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
  countConnections(client, metrics);
  return client;
};

const createCluster = (config: RedisConfig, { metrics, onError, timeoutMs }: ClientOptions): Cluster => {
  const nodes = addressesOf(config);
  const { tls, db: _, ...redisOptions } = connectionOptions(config, timeoutMs !== undefined);
  const options: Omit<ClusterOptions, "redisOptions"> & { readonly redisOptions: OwnOptions } = {
    lazyConnect: true,
    clusterRetryStrategy: (attempt) => backoffMs(attempt),
    // ioredis would resend commands whose outcome is unknown.
    retryDelayOnFailover: 0,
    retryDelayOnClusterDown: 100,
    maxRedirections: 8,
    ...(config.keyPrefix !== undefined && { keyPrefix: config.keyPrefix }),
    redisOptions: { ...redisOptions, ...(tls !== undefined && { tls: {} }) },
    ...(tls !== undefined && {
      // Certificates are issued for host names, so these are not resolved to addresses.
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
    onError(error);
    refresh();
  });
  cluster.on("-node", refresh);
  cluster.on("+node", (node: Redis) => {
    if (tls !== undefined) node.options.tls = tlsTo(node.options.host ?? ""); // it connects later
    countConnections(node, metrics);
  });
  return cluster;
};

/** Returns a function that refreshes the slot table, at most every 100 ms, after a node is lost. */
const refresher = (cluster: Cluster): (() => void) => {
  let timer: NodeJS.Timeout | undefined;
  return () => {
    timer ??= setTimeout(() => {
      timer = undefined;
      if (cluster.status === "ready") cluster.refreshSlotsCache();
    }, 100).unref();
  };
};

const countConnections = (client: Redis, metrics: RedisMetrics): void => {
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
