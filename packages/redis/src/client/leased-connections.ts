import { RedisUnavailableError } from "../redis-errors.ts";
import type { IoredisClient } from "./ioredis.ts";
import { closeClient } from "./close-client.ts";

/** A connection that is leased to one user at a time. */
export interface LeasedConnection {
  readonly client: IoredisClient;
  /** Timeout of a command of the current lease, in milliseconds. */
  timeoutMs: number;
  /** Whether its state is unknown, so that it must not be leased again. */
  isTainted: boolean;
}

/** Bounds of leased connections. */
export interface LeasedConnectionsOptions {
  readonly create: () => LeasedConnection;
  /** Maximum number of connections. */
  readonly max: number;
  /** Number of connections that stay open when idle; they are not opened in advance. */
  readonly minIdle: number;
  /** Timeout of the wait for a connection, in milliseconds. */
  readonly waitMs: number;
  readonly idleMs: number;
  /** Maximum number of waiting callers. */
  readonly maxWaiting: number;
  /** Timeout of the command that checks a returned connection, in milliseconds. */
  readonly checkMs: number;
}

interface IdleConnection {
  readonly connection: LeasedConnection;
  readonly timer: NodeJS.Timeout;
}

/** A pool of connections for blocking commands and `WATCH`. Connections are opened on demand and reused last in, first out. */
export class LeasedConnections {
  private readonly options: LeasedConnectionsOptions;
  private readonly openConnections = new Set<LeasedConnection>();
  private readonly idle: IdleConnection[] = [];
  private readonly waiting = new Set<(result: LeasedConnection | RedisUnavailableError) => void>();
  private isClosed = false;

  constructor(options: LeasedConnectionsOptions) {
    this.options = options;
  }

  get open(): number {
    return this.openConnections.size;
  }

  /** Leases a connection to `run` until its promise settles. @throws RedisUnavailableError if none is free within `waitMs` */
  async use<T>(run: (client: IoredisClient) => Promise<T>, timeoutMs: number): Promise<T> {
    const connection = await this.acquire();
    connection.timeoutMs = timeoutMs;
    let isDone = false;
    try {
      const result = await run(connection.client);
      isDone = true;
      return result;
    } finally {
      connection.timeoutMs = this.options.checkMs; // the caller waits for the check, even if its own commands have no timeout
      await this.release(connection, isDone);
    }
  }

  async close(): Promise<void> {
    this.isClosed = true;
    for (const { timer } of this.idle.splice(0)) clearTimeout(timer);
    for (const settle of this.waiting) settle(new RedisUnavailableError("the connections were closed"));
    await Promise.all([...this.openConnections].map(({ client }) => closeClient(client)));
    this.openConnections.clear();
  }

  private acquire(): LeasedConnection | Promise<LeasedConnection> {
    for (let idle = this.idle.pop(); idle !== undefined; idle = this.idle.pop()) {
      clearTimeout(idle.timer);
      if (idle.connection.client.status === "ready") return idle.connection;
      this.drop(idle.connection);
    }
    return this.openConnections.size < this.options.max ? this.create() : this.wait();
  }

  private create(): LeasedConnection {
    const connection = this.options.create();
    this.openConnections.add(connection);
    return connection;
  }

  private wait(): Promise<LeasedConnection> {
    const { waitMs, max, maxWaiting } = this.options;
    if (max === 0 || this.waiting.size >= maxWaiting) {
      const reason =
        max === 0 ? "poolSize leaves no connection for leases" : `${maxWaiting} callers are already waiting`;
      return Promise.reject(new RedisUnavailableError(reason));
    }
    const { promise, resolve, reject } = Promise.withResolvers<LeasedConnection>();
    const settle = (result: LeasedConnection | RedisUnavailableError): void => {
      clearTimeout(timer);
      this.waiting.delete(settle);
      if (result instanceof RedisUnavailableError) reject(result);
      else resolve(result);
    };
    const onTimeout = (): void =>
      settle(new RedisUnavailableError(`no connection was free within ${waitMs} ms`));
    const timer = setTimeout(onTimeout, waitMs);
    this.waiting.add(settle);
    return promise;
  }

  private async release(connection: LeasedConnection, isDone: boolean): Promise<void> {
    const { client } = connection;
    const isClean = isDone && !connection.isTainted && client.status === "ready";
    if (!isClean || !(await unwatch(client)) || this.isClosed) {
      this.drop(connection);
      this.passOn(null);
    } else if (!this.passOn(connection)) this.keep(connection);
  }

  /** Passes this connection, or a replacement of a dropped one, to the caller that has waited longest. Returns whether a caller was waiting. */
  private passOn(connection: LeasedConnection | null): boolean {
    const [first] = this.waiting;
    if (first === undefined) return false;
    first(connection ?? this.create());
    return true;
  }

  private keep(connection: LeasedConnection): void {
    const timer = setTimeout(() => this.expire(connection), this.options.idleMs);
    timer.unref();
    this.idle.push({ connection, timer });
  }

  private expire(connection: LeasedConnection): void {
    const at = this.idle.findIndex((idle) => idle.connection === connection);
    if (at < 0) return;
    this.idle.splice(at, 1);
    if (this.openConnections.size <= this.options.minIdle) this.keep(connection);
    else this.drop(connection);
  }

  private drop(connection: LeasedConnection): void {
    this.openConnections.delete(connection);
    connection.client.disconnect();
  }
}

/**
 * Removes the watches of the last lease. Returns whether that succeeded: inside an unfinished transaction the reply is `QUEUED`. An untainted connection has no
 * other state, and a connection to a cluster has none.
 */
const unwatch = async (client: IoredisClient): Promise<boolean> => {
  if (client.isCluster) return true;
  return client.unwatch().then(
    (reply: unknown) => reply === "OK",
    () => false,
  );
};
