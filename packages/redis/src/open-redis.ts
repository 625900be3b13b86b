import {
  type ConfigInput,
  describeInvalid,
  type Operations,
  operationsWithoutApp,
  throttledLog,
} from "@framework/core/feature";
import { ConfigurationError, FrameworkError, type Logger } from "@framework/core";
import { closeClient } from "./client/close-client.ts";
import { commandOperation } from "./client/command-operation.ts";
import { createClient } from "./client/create-client.ts";
import { affectsOthers } from "./client/send-command.ts";
import { newMetrics, type RedisMetrics } from "./client/metrics.ts";
import type { IoredisClient } from "./client/ioredis.ts";
import { type LeasedConnection, LeasedConnections } from "./client/leased-connections.ts";
import { configProblems } from "./config-problems.ts";
import { RedisConfig } from "./redis-config.ts";

/** Options of a leased connection. */
export interface LeaseOptions {
  /** Timeout of each command in milliseconds; 0 or `Infinity` for none. @default commandTimeoutMs */
  readonly timeoutMs?: number;
}

/** Connections to a Redis, with or without an app. */
export interface OpenRedis {
  /** ioredis' client, which connects on first use. */
  readonly redis: IoredisClient;
  /** Metrics of the connections. */
  readonly metrics: Readonly<RedisMetrics>;
  /** Calls `run` with a leased connection, until its promise settles. @throws RedisUnavailableError if none is free in time; REDIS_CLOSED; CORE_BAD_ARGUMENT */
  withRedis<T>(run: (redis: IoredisClient) => Promise<T>, options?: LeaseOptions): Promise<T>;
  /** Closes all connections after their pending commands, within one second. */
  close(): Promise<void>;
}

const LOG_EVERY_MS = 10_000;
/** Maximum delay of a timer, 24.8 days: a longer one would fire at once. */
const MAX_TIMER_MS = 2_147_483_647;

/** Options of `openRedis`. */
export interface OpenRedisOptions {
  /** Logs lost connections, at most once in ten seconds. @default console */
  readonly log?: Pick<Logger, "warn">;
}

/**
 * Opens connections to a Redis without an app.
 *
 * @throws CORE_BAD_CONFIG
 */
export const openRedis = (
  input?: ConfigInput<RedisConfig>,
  { log = console }: OpenRedisOptions = {},
): OpenRedis => {
  const config = RedisConfig.of(input);
  const problems = configProblems(config).map((message) => ({ code: "CORE_BAD_CONFIG", message }));
  if (problems.length > 0) throw new ConfigurationError(problems);
  return new Connections(config, () => log, operationsWithoutApp(commandOperation));
};

/** The connections of one configuration, opened on first use. */
export class Connections implements OpenRedis {
  readonly metrics: RedisMetrics = newMetrics();
  private readonly config: RedisConfig;
  private readonly log: () => Pick<Logger, "warn"> | null;
  private readonly operations: Operations<{ readonly name: string }>;
  private readonly leasedConnections: LeasedConnections;
  private client: IoredisClient | null = null;
  private isClosed = false;
  private readonly logThrottled = throttledLog({ everyMs: LOG_EVERY_MS });

  constructor(
    config: RedisConfig,
    log: () => Pick<Logger, "warn"> | null,
    operations: Operations<{ readonly name: string }>,
  ) {
    this.config = config;
    this.log = log;
    this.operations = operations;
    const { poolSize, minIdle, connectionTimeoutSecs, idleTimeoutSecs, maxQueue, commandTimeoutMs } = config;
    this.leasedConnections = new LeasedConnections({
      create: () => this.lease(),
      max: poolSize - 1,
      minIdle: minIdle - 1,
      waitMs: connectionTimeoutSecs * 1000,
      idleMs: idleTimeoutSecs * 1000,
      maxWaiting: maxQueue,
      checkMs: commandTimeoutMs,
    });
  }

  get redis(): IoredisClient {
    this.client ??= this.create();
    return this.client;
  }

  get leasedCount(): number {
    return this.leasedConnections.open;
  }

  withRedis<T>(
    run: (redis: IoredisClient) => Promise<T>,
    { timeoutMs = this.config.commandTimeoutMs }: LeaseOptions = {},
  ): Promise<T> {
    if (this.isClosed) return Promise.reject(closedError());
    const isTimeout: boolean = typeof timeoutMs === "number" && timeoutMs >= 0;
    if (!isTimeout) return Promise.reject(badTimeout(timeoutMs));
    return this.leasedConnections.use(run, timeoutMs > MAX_TIMER_MS ? 0 : timeoutMs);
  }

  async close(): Promise<void> {
    this.isClosed = true;
    await Promise.all([
      this.leasedConnections.close(),
      this.client === null ? null : closeClient(this.client),
    ]);
  }

  private create(): IoredisClient {
    if (this.isClosed) throw closedError();
    return createClient(this.config, {
      metrics: this.metrics,
      operations: this.operations,
      onError: (error) => this.recordFailure(error),
      refusalOf: (command) => (!this.isClosed && affectsOthers(command) ? notShared(command.name) : null),
    });
  }

  private lease(): LeasedConnection {
    const connection = { timeoutMs: this.config.commandTimeoutMs, isTainted: false };
    const client = createClient(this.config, {
      metrics: this.metrics,
      operations: this.operations,
      onError: (error) => this.recordFailure(error),
      timeoutMs: () => connection.timeoutMs,
      onTainted: () => (connection.isTainted = true),
    });
    return Object.assign(connection, { client });
  }

  /** Logs an outage at most once in ten seconds. */
  private recordFailure(error: Error): void {
    if (this.isClosed) return;
    this.logThrottled(() => this.log()?.warn("a connection to Redis failed; reconnecting", { error }));
  }
}

const notShared = (name: string): FrameworkError =>
  new FrameworkError(
    "REDIS_SHARED_CONNECTION",
    `redis: ${name.toUpperCase()} would change the connection that all requests share; use withRedis, which leases a connection`,
  );

const badTimeout = (timeoutMs: number): FrameworkError =>
  new FrameworkError(
    "CORE_BAD_ARGUMENT",
    `redis: the timeoutMs of withRedis must be a number of at least 0, not ${describeInvalid(timeoutMs)}`,
  );

const closedError = (): FrameworkError =>
  new FrameworkError("REDIS_CLOSED", "redis: the connections are closed");
