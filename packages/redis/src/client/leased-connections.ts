import { RedisUnavailableError } from "../redis-errors.ts";
import type { IoredisClient } from "./ioredis.ts";
import { closeClient } from "./close-client.ts";

/** A connection that is leased to one user at a time. */
export interface LeasedConnection {
  readonly client: IoredisClient;
  /** Timeout of a command of the current lease, in milliseconds. */
  timeoutMs: number;
  /** Whether its state is unknown; it is not leased again. */
  isSpoilt: boolean;
}

/** Bounds of leased connections. */
export interface LeasedConnectionsOptions {
  readonly create: () => LeasedConnection;
  /** Most connections. */
  readonly max: number;
  /** Connections kept though idle. */
  readonly minIdle: number;
  /** Longest wait for one. */
  readonly waitMs: number;
  readonly idleMs: number;
  /** Most who may wait. */
  readonly maxWaiting: number;
}

interface Idle {
  readonly connection: LeasedConnection;
  readonly timer: NodeJS.Timeout;
}

/** A pool of connections for blocking commands and `WATCH`. Connections are opened on demand and reused last in, first out. */
export class LeasedConnections {
  readonly #options: LeasedConnectionsOptions;
  readonly #open = new Set<LeasedConnection>();
  readonly #idle: Idle[] = [];
  readonly #waiting = new Set<(connection: LeasedConnection | null) => void>();

  constructor(options: LeasedConnectionsOptions) {
    this.#options = options;
  }

  get open(): number {
    return this.#open.size;
  }

  /** Leases a connection to `run` until its promise settles. @throws RedisUnavailableError when none is free in time */
  async use<T>(run: (client: IoredisClient) => Promise<T>, timeoutMs: number): Promise<T> {
    const connection = await this.#acquire();
    connection.timeoutMs = timeoutMs;
    let isDone = false;
    try {
      const result = await run(connection.client);
      isDone = true;
      return result;
    } finally {
      await this.#release(connection, isDone);
    }
  }

  async close(): Promise<void> {
    for (const { timer } of this.#idle.splice(0)) clearTimeout(timer);
    for (const wake of this.#waiting) wake(null);
    await Promise.all([...this.#open].map(({ client }) => closeClient(client)));
    this.#open.clear();
  }

  #acquire(): LeasedConnection | Promise<LeasedConnection> {
    for (let idle = this.#idle.pop(); idle !== undefined; idle = this.#idle.pop()) {
      clearTimeout(idle.timer);
      if (idle.connection.client.status === "ready") return idle.connection;
      this.#drop(idle.connection);
    }
    return this.#open.size < this.#options.max ? this.#create() : this.#wait();
  }

  #create(): LeasedConnection {
    const connection = this.#options.create();
    this.#open.add(connection);
    return connection;
  }

  #wait(): Promise<LeasedConnection> {
    const { waitMs, max, maxWaiting } = this.#options;
    if (max === 0 || this.#waiting.size >= maxWaiting) {
      const reason = max === 0 ? "poolSize leaves no connection to be leased" : `${maxWaiting} wait already`;
      return Promise.reject(new RedisUnavailableError(reason));
    }
    const { promise, resolve, reject } = Promise.withResolvers<LeasedConnection>();
    const settle = (connection: LeasedConnection | null): void => {
      clearTimeout(timer);
      this.#waiting.delete(settle);
      if (connection === null) reject(new RedisUnavailableError(`no connection was free in ${waitMs} ms`));
      else resolve(connection);
    };
    const timer = setTimeout(settle, waitMs, null);
    this.#waiting.add(settle);
    return promise;
  }

  async #release(connection: LeasedConnection, isDone: boolean): Promise<void> {
    const { client } = connection;
    const isClean = isDone && !connection.isSpoilt && client.status === "ready";
    if (!isClean || !(await forgets(client))) {
      this.#drop(connection);
      this.#next(null);
    } else if (!this.#next(connection)) this.#keep(connection);
  }

  /** Passes this connection, or a replacement of a dropped one, to the longest waiter. */
  #next(connection: LeasedConnection | null): boolean {
    const [first] = this.#waiting;
    if (first === undefined) return false;
    first(connection ?? this.#create());
    return true;
  }

  #keep(connection: LeasedConnection): void {
    const timer = setTimeout(() => this.#expire(connection), this.#options.idleMs);
    timer.unref();
    this.#idle.push({ connection, timer });
  }

  #expire(connection: LeasedConnection): void {
    const at = this.#idle.findIndex((idle) => idle.connection === connection);
    if (at < 0) return;
    this.#idle.splice(at, 1);
    if (this.#open.size <= this.#options.minIdle) this.#keep(connection);
    else this.#drop(connection);
  }

  #drop(connection: LeasedConnection): void {
    this.#open.delete(connection);
    connection.client.disconnect();
  }
}

/** Takes back what a user may have watched; nothing else of a user is left on an unspoilt connection. */
const forgets = async (client: IoredisClient): Promise<boolean> => {
  if (client.isCluster) return true;
  return client.unwatch().then(
    () => true,
    () => false,
  );
};
