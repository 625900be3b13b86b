import { setTimeout as delay } from "node:timers/promises";
import type { Backend, OpenTransaction } from "./backend.ts";
import { DatabaseError } from "./database-errors.ts";
import type { Database, ListenOptions, Queries, Transaction, TransactionOptions } from "./queries.ts";
import { SessionQueries } from "./session-queries.ts";
import { RunningTransaction } from "./running-transaction.ts";
import { checkNotification } from "./notification.ts";

const DEFAULT_RETRIES = 3;
const MAX_RETRIES = 20;
const FIRST_PAUSE_MS = 5;

/** A database over a backend: adds transactions with retries, and delegates the rest. */
export class OpenDatabase extends SessionQueries implements Database {
  readonly dialect: "sqlite" | "postgres";
  private readonly backend: Backend;
  private readonly random: () => number;

  constructor(backend: Backend, random: () => number = Math.random) {
    super(backend);
    this.backend = backend;
    this.random = random;
    this.dialect = backend.dialect;
  }

  async transaction<T>(run: (tx: Transaction) => Promise<T>, options: TransactionOptions = {}): Promise<T> {
    const retries = Math.min(options.retries ?? DEFAULT_RETRIES, MAX_RETRIES);
    for (let failures = 0; ; failures++) {
      try {
        return await this.attempt(run, options);
      } catch (error) {
        if (!isTransient(error) || failures >= retries) throw error;
        await delay(FIRST_PAUSE_MS * 2 ** failures * (0.5 + this.random()), undefined, {
          signal: options.signal,
        });
      }
    }
  }

  private async attempt<T>(run: (tx: Transaction) => Promise<T>, options: TransactionOptions): Promise<T> {
    const { isolation = "read committed", readOnly = false, signal } = options;
    signal?.throwIfAborted();
    const open = await this.backend.begin({ isolation, readOnly, signal });
    const tx = new RunningTransaction(open, signal);
    let value: T;
    try {
      value = await run(tx);
      signal?.throwIfAborted();
    } catch (error) {
      await this.rollback(tx, open);
      throw signal?.aborted === true ? signal.reason : error;
    }
    tx.end();
    await open.commit();
    return value;
  }

  private async rollback(tx: RunningTransaction, open: OpenTransaction): Promise<void> {
    tx.end();
    await open.rollback();
  }

  until(signal: AbortSignal): Queries {
    return new SessionQueries(this.backend, signal);
  }

  async listen(
    channel: string,
    listener: (payload: string) => void,
    options: ListenOptions = {},
  ): Promise<() => Promise<void>> {
    checkNotification(channel, "");
    return await this.backend.listen(channel, listener, options);
  }

  async notify(channel: string, payload = ""): Promise<void> {
    checkNotification(channel, payload);
    await this.backend.notify(channel, payload);
  }

  async close(): Promise<void> {
    await this.backend.close();
  }
}

const isTransient = (error: unknown): boolean =>
  error instanceof DatabaseError && (error.kind === "serialization" || error.kind === "deadlock");
