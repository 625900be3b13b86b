import { tracingChannel } from "node:diagnostics_channel";
import { isPromise } from "@framework/core/feature";
import type { Logger } from "@framework/core";
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
  /** Below this nothing is to be done about the time that a statement took. */
  readonly #noticeMs: number;
  statements = 0;
  failures = 0;
  slow = 0;

  constructor(backend: Backend, options: WatchOptions) {
    this.#backend = backend;
    this.#options = options;
    this.dialect = backend.dialect;
    this.#noticeMs = Math.min(options.slowQueryMs || Infinity, backend.longReads?.longMs ?? Infinity);
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
      if (isPromise(outcome)) return this.#later(outcome, from, statement);
      const durationMs = performance.now() - from;
      if (durationMs >= this.#noticeMs) this.#held(session, statement, durationMs);
      return outcome;
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
      this.#took(statement, performance.now() - from);
    }
  }

  #held(session: Session, statement: Statement, durationMs: number): void {
    if (session === this.#backend) this.#backend.longReads?.took(statement.text, durationMs);
    this.#took(statement, durationMs);
  }

  #took({ text }: Statement, durationMs: number): void {
    const { slowQueryMs, log } = this.#options;
    if (slowQueryMs === 0 || durationMs < slowQueryMs) return;
    this.slow++;
    log()?.warn("slow query", { durationMs: Math.round(durationMs), text: text.slice(0, MAX_LOGGED_TEXT) });
  }

  async begin(options: BeginOptions): Promise<OpenTransaction> {
    return new WatchedTransaction(await this.#backend.begin(options), this);
  }

  stream(statement: Statement, batchSize: number, signal?: AbortSignal): AsyncIterableIterator<Row[]> {
    return this.follow(this.#backend.stream(statement, batchSize, signal), statement);
  }

  /** Traces a stream as one statement that ends when its last row has been taken, or its reader has left. */
  async *follow(batches: AsyncIterableIterator<Row[]>, { text }: Statement): AsyncGenerator<Row[]> {
    this.statements++;
    const end = queries.hasSubscribers ? this.#begun(text) : null;
    try {
      yield* batches;
    } catch (error) {
      this.failures++;
      end?.reject(error);
      throw error;
    } finally {
      end?.resolve();
    }
  }

  #begun(text: string): PromiseWithResolvers<void> {
    const end = Promise.withResolvers<void>();
    queries.tracePromise(() => end.promise, { dialect: this.dialect, text }).catch(() => {}); // its reader hears of it
    return end;
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

  stream(statement: Statement, batchSize: number, signal?: AbortSignal): AsyncIterableIterator<Row[]> {
    return this.#watch.follow(this.#open.stream(statement, batchSize, signal), statement);
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
