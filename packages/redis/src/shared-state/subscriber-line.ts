import type { Redis } from "ioredis";
import { backoffMs } from "../client/backoff.ts";
import { isCluster } from "../client/is-cluster.ts";
import { ioredis, type IoredisClient } from "../client/ioredis.ts";

/** How often the connection is asked whether it is still there, in milliseconds; a silent one is replaced. */
const ASK_MS = 1000;
/** Longest pause between attempts: the doubling that gives 0.4 s. */
const LONGEST_STEP = 4;

/** What a line carries. */
export interface SubscriberLineOptions {
  readonly client: () => IoredisClient;
  readonly channels: readonly string[];
  readonly receive: (text: string) => void;
  /** Called each time the channels are subscribed anew. */
  readonly joined: () => void;
  readonly timeoutMs: number;
}

/**
 * A connection that listens to a few channels, and is made anew, on a cluster to another node, whenever it breaks or falls silent.
 *
 * ioredis' own way back to its channels leaves a rejection that nobody handles when the connection breaks once more, and does not see a silent one.
 */
export class SubscriberLine {
  readonly #options: SubscriberLineOptions;
  #connection: Redis | null = null;
  #timer: NodeJS.Timeout | undefined;
  #attempts = 0;
  #isClosed = false;

  constructor(options: SubscriberLineOptions) {
    this.#options = options;
  }

  open(): void {
    void this.#attempt();
  }

  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    this.#connection?.disconnect();
  }

  /** One connection, from its beginning to its end; then the next after a pause. */
  async #attempt(): Promise<void> {
    this.#attempts++;
    try {
      await this.#listen();
    } catch {
      this.#connection?.disconnect(); // there is another attempt
    }
    clearTimeout(this.#timer);
    if (this.#isClosed) return;
    this.#timer = setTimeout(
      () => void this.#attempt(),
      backoffMs(Math.min(this.#attempts + 1, LONGEST_STEP)),
    );
    this.#timer.unref();
  }

  async #listen(): Promise<void> {
    const { channels, receive, joined } = this.#options;
    const connection = await this.#connect();
    this.#connection = connection;
    if (this.#isClosed) return;
    const ended = new Promise((resolve) => connection.once("end", resolve)); // an error is no end yet
    connection.on("error", () => {}); // the end follows
    connection.on("message", (_channel: string, text: string) => receive(text));
    await connection.subscribe(...channels);
    this.#attempts = 0;
    joined();
    this.#watch(connection);
    await ended;
  }

  /** A connection of its own, with the settings of the client; on a cluster to any of its nodes, since messages reach all of them. */
  async #connect(): Promise<Redis> {
    const { Redis } = ioredis();
    const { client, timeoutMs } = this.#options;
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

  #watch(connection: Redis): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      connection.ping().then(
        () => this.#watch(connection),
        () => connection.disconnect(),
      );
    }, ASK_MS);
    this.#timer.unref();
  }
}

const nodeOf = async (client: IoredisClient): Promise<Pick<Redis, "options">> => {
  if (!isCluster(client)) return client;
  if (client.nodes("all").length === 0) await client.ping(); // it connects, and knows its nodes from then on
  const nodes = client.nodes("all");
  const node = nodes[Math.floor(Math.random() * nodes.length)];
  if (node === undefined) throw new Error("no node of the cluster is known");
  return node;
};
