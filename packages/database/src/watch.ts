import { tracingChannel } from "node:diagnostics_channel";
import { isPromise, type Logger } from "@framework/core";
import type { Backend, BeginOptions, OpenTransaction, Outcome, PoolFigures, Session } from "./backend.ts";
import type { ListenOptions, Row } from "./queries.ts";
import type { Statement } from "./statement.ts";

/** What subscribers of the tracing channel `framework.database.query` get for each statement: never the parameters. */
export interface QueryTrace {
  readonly dialect: "sqlite" | "postgres";
  readonly text: string;
}

const queries = tracingChannel<QueryTrace, QueryTrace>("framework.database.query");

/** What a database counts, and when it speaks up. */
export interface WatchOptions {
  /** A statement that took longer is logged with its text; 0 is never. */
  readonly slowQueryMs: number;
  readonly log: () => Logger | null;
}

const MAX_LOGGED_TEXT = 1000;

/** A backend whose statements are counted, timed and traced. */
export class WatchedBackend implements Backend {
  readonly dialect: "sqlite" | "postgres";
  readonly #backend: Backend;
  readonly #options: WatchOptions;
  statements = 0;
  failures = 0;
  slow = 0;

  constructor(backend: Backend, options: WatchOptions) {
    this.#backend = backend;
    this.#options = options;
    this.dialect = backend.dialect;
  }

  run(statement: Statement, signal?: AbortSignal, first?: boolean): Outcome | Promise<Outcome> {
    return this.observe(this.#backend, statement, signal, first);
  }

  observe(
    session: Session,
    statement: Statement,
    signal?: AbortSignal,
    first?: boolean,
  ): Outcome | Promise<Outcome> {
    if (!queries.hasSubscribers) return this.#timed(session, statement, signal, first);
    return this.#traced(session, statement, signal, first);
  }

  /** The rows stay out of what subscribers see. */
  async #traced(
    session: Session,
    statement: Statement,
    signal?: AbortSignal,
    first?: boolean,
  ): Promise<Outcome> {
    let outcome: Outcome = { rows: [], changes: 0 };
    await queries.tracePromise(
      async () => {
        outcome = await this.#timed(session, statement, signal, first);
      },
      { dialect: this.dialect, text: statement.text },
    );
    return outcome;
  }

  #timed(
    session: Session,
    statement: Statement,
    signal?: AbortSignal,
    first?: boolean,
  ): Outcome | Promise<Outcome> {
    const from = performance.now();
    this.statements++;
    try {
      const outcome = session.run(statement, signal, first);
      if (!isPromise(outcome)) {
        this.#took(from, statement);
        return outcome;
      }
      return this.#later(outcome, from, statement);
    } catch (error) {
      this.failures++;
      throw error;
    }
  }

  async #later(outcome: Promise<Outcome>, from: number, statement: Statement): Promise<Outcome> {
    try {
      return await outcome;
    } catch (error) {
      this.failures++;
      throw error;
    } finally {
      this.#took(from, statement);
    }
  }

  #took(from: number, { text }: Statement): void {
    const { slowQueryMs, log } = this.#options;
    const durationMs = performance.now() - from;
    if (slowQueryMs === 0 || durationMs < slowQueryMs) return;
    this.slow++;
    log()?.warn("slow query", { durationMs: Math.round(durationMs), text: text.slice(0, MAX_LOGGED_TEXT) });
  }

  async begin(options: BeginOptions): Promise<OpenTransaction> {
    return new WatchedTransaction(await this.#backend.begin(options), this);
  }

  stream(statement: Statement, batchSize: number, signal?: AbortSignal): AsyncIterableIterator<Row> {
    this.statements++;
    return this.#backend.stream(statement, batchSize, signal);
  }

  async notify(channel: string, payload: string): Promise<void> {
    await this.#backend.notify(channel, payload);
  }

  listen(
    channel: string,
    listener: (payload: string) => void,
    options: ListenOptions,
  ): Promise<() => Promise<void>> {
    return this.#backend.listen(channel, listener, options);
  }

  figures(): PoolFigures {
    return this.#backend.figures();
  }

  async close(): Promise<void> {
    await this.#backend.close();
  }
}

class WatchedTransaction implements OpenTransaction {
  readonly #open: OpenTransaction;
  readonly #watch: WatchedBackend;

  constructor(open: OpenTransaction, watch: WatchedBackend) {
    this.#open = open;
    this.#watch = watch;
  }

  run(statement: Statement, signal?: AbortSignal, first?: boolean): Outcome | Promise<Outcome> {
    return this.#watch.observe(this.#open, statement, signal, first);
  }

  stream(statement: Statement, batchSize: number, signal?: AbortSignal): AsyncIterableIterator<Row> {
    return this.#open.stream(statement, batchSize, signal);
  }

  async script(text: string): Promise<void> {
    await this.#open.script(text);
  }

  async notify(channel: string, payload: string): Promise<void> {
    await this.#open.notify(channel, payload);
  }

  async commit(): Promise<void> {
    await this.#open.commit();
  }

  async rollback(): Promise<void> {
    await this.#open.rollback();
  }
}
