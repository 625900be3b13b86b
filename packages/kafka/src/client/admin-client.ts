import type { Logger } from "@framework/core";
import type { Admin } from "kafkajs";
import type { KafkaConfig } from "../kafka-config.ts";
import { type Client, createClient } from "./create-client.ts";

interface Connection {
  readonly admin: Admin;
  readonly client: Client;
  readonly connected: Promise<void>;
}

/** Time limit of an administrative request in milliseconds. */
const REQUEST_MS = 10_000;

/** The administrative connection. Opened on first use, and again after each failure. */
export class AdminClient {
  private readonly config: KafkaConfig;
  private readonly log: Logger;
  private current: Connection | null = null;
  private isClosed = false;

  constructor(config: KafkaConfig, log: Logger) {
    this.config = { ...config, requestTimeoutMs: Math.min(config.requestTimeoutMs, REQUEST_MS) };
    this.log = log;
  }

  /**
   * Calls `run` with the connection. Replaces the connection after a failure or an abort of `signal`, because it may be half open.
   *
   * @throws the error of `run` or of the connection, the reason of `signal`, or an error after `close`
   */
  async use<T>(run: (admin: Admin) => Promise<T>, signal?: AbortSignal): Promise<T> {
    if (this.isClosed) throw new Error("the broker was closed");
    const opened = (this.current ??= this.open());
    const aborted = Promise.withResolvers<never>();
    const abort = (): void => aborted.reject(signal?.reason);
    aborted.promise.catch(() => {}); // may reject after the race has ended
    signal?.addEventListener("abort", abort, { once: true });
    try {
      const called = opened.connected.then(() => run(opened.admin));
      return await (signal === undefined ? called : Promise.race([called, aborted.promise]));
    } catch (error) {
      if (this.current === opened) this.current = null;
      close(opened);
      throw error;
    } finally {
      signal?.removeEventListener("abort", abort);
    }
  }

  close(): void {
    this.isClosed = true;
    if (this.current !== null) close(this.current);
    this.current = null;
  }

  private open(): Connection {
    const client = createClient(this.config, this.log);
    const admin = client.kafka.admin({ retry: { retries: 2 } });
    const connected = admin.connect();
    connected.catch(() => {}); // reported to each call
    return { admin, client, connected };
  }
}

const close = ({ admin, client }: Connection): void => {
  client.sockets.close();
  void admin.disconnect().catch(() => {}); // may fail, because its connections are already closed
};
