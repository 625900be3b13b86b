import type { Redis } from "ioredis";
import { backoffMs } from "../client/backoff.ts";
import { isCluster } from "../client/is-cluster.ts";
import { ioredis, type IoredisClient } from "../client/ioredis.ts";

/** Interval of pings, in milliseconds; a connection without a reply is replaced. */
const PING_MS = 1000;
/** Cap on the attempt number of the backoff: limits the delay to 0.4 s. */
const MAX_ATTEMPT = 4;

/** Options of `Subscriber`. */
export interface SubscriberOptions {
  readonly client: () => IoredisClient;
  readonly channels: readonly string[];
  readonly onMessage: (text: string) => void;
  /** Called after each (re)subscription of the channels. */
  readonly onSubscribed: () => void;
  /** Called when a connection that had subscribed has ended. */
  readonly onLost: () => void;
  readonly timeoutMs: number;
}

/**
 * Subscribes to channels on a dedicated connection. Reconnects when the connection breaks or stops replying; on a cluster to any node.
 *
 * ioredis' own resubscription causes an unhandled rejection if the connection breaks again, and does not detect half-open connections.
 */
export class Subscriber {
  private readonly options: SubscriberOptions;
  private connection: Redis | null = null;
  private timer: NodeJS.Timeout | undefined;
  private attempts = 0;
  private isClosed = false;

  constructor(options: SubscriberOptions) {
    this.options = options;
  }

  open(): void {
    void this.attempt();
  }

  close(): void {
    this.isClosed = true;
    clearTimeout(this.timer);
    this.connection?.disconnect();
  }

  /** Runs one connection until it ends, then schedules the next attempt. */
  private async attempt(): Promise<void> {
    this.attempts++;
    try {
      await this.listen();
    } catch {
      this.connection?.disconnect(); // the next attempt follows
    }
    clearTimeout(this.timer);
    if (this.isClosed) return;
    this.timer = setTimeout(() => void this.attempt(), backoffMs(Math.min(this.attempts + 1, MAX_ATTEMPT)));
    this.timer.unref();
  }

  private async listen(): Promise<void> {
    const { channels, onMessage, onSubscribed, onLost } = this.options;
    const connection = await this.connect();
    this.connection = connection;
    if (this.isClosed) return;
    const ended = new Promise((resolve) => connection.once("end", resolve)); // "error" precedes "end"
    connection.on("error", () => {}); // "end" follows
    connection.on("message", (_channel: string, text: string) => onMessage(text));
    await connection.subscribe(...channels);
    this.attempts = 0;
    onSubscribed();
    this.watch(connection);
    await ended;
    onLost();
  }

  /** Creates a connection with the settings of the client; on a cluster to a random node, because messages reach all nodes. */
  private async connect(): Promise<Redis> {
    const { Redis } = ioredis();
    const { client, timeoutMs } = this.options;
    const { replyMapping: _, ...options } = (await nodeOf(client())).options;
    return new Redis({
      ...options,
      lazyConnect: true,
      enableOfflineQueue: true,
      readOnly: false,
      retryStrategy: null,
      autoResubscribe: false,
      maxRetriesPerRequest: 0,
      commandTimeout: timeoutMs,
      socketTimeout: timeoutMs,
    });
  }

  private watch(connection: Redis): void {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => {
      connection.ping().then(
        () => this.watch(connection),
        () => connection.disconnect(),
      );
    }, PING_MS);
    this.timer.unref();
  }
}

const nodeOf = async (client: IoredisClient): Promise<Pick<Redis, "options">> => {
  if (!isCluster(client)) return client;
  if (client.nodes("all").length === 0) await client.ping(); // connects, which discovers the nodes
  const nodes = client.nodes("all");
  const node = nodes[Math.floor(Math.random() * nodes.length)];
  if (node === undefined) throw new Error("the cluster has no known node");
  return node;
};
