import { type Histogram, isPromise, type Operations } from "@framework/core/feature";
import type { Logger } from "@framework/core";
import type { Backend, BeginOptions, OpenTransaction, Outcome, PoolMetrics, Session } from "./backend.ts";
import type { ListenOptions, Row } from "./queries.ts";
import type { Statement } from "./statement.ts";

/** Options of the watching backend. */
export interface WatchOptions {
  /** Statements that take longer are logged with their text; 0 disables it. */
  readonly slowQueryMs: number;
  readonly log: () => Logger | null;
  /** Publishes each statement. */
  readonly operations: Operations<Statement>;
  /** Records the duration of each statement, if given. */
  readonly seconds?: Histogram;
}

const MAX_LOGGED_TEXT = 1000;

/** A backend whose statements are counted, timed and published as operations. */
export class WatchedBackend implements Backend {
  readonly dialect: "sqlite" | "postgres";
  private readonly backend: Backend;
  private readonly options: WatchOptions;
  /** Durations below this need no action. */
  private readonly noticeMs: number;
  statements = 0;
  failures = 0;
  slow = 0;

  constructor(backend: Backend, options: WatchOptions) {
    this.backend = backend;
    this.options = options;
    this.dialect = backend.dialect;
    this.noticeMs = Math.min(options.slowQueryMs || Infinity, backend.longReads?.longMs ?? Infinity);
  }

  run(statement: Statement, signal?: AbortSignal, first?: boolean): Outcome | Promise<Outcome> {
    return this.observe(this.backend, statement, signal, first);
  }

  observe(
    session: Session,
    statement: Statement,
    signal?: AbortSignal,
    first?: boolean,
  ): Outcome | Promise<Outcome> {
    const { operations } = this.options;
    if (!operations.isObserved) return this.timed(session, statement, signal, first);
    return operations.run(statement, () => this.timed(session, statement, signal, first));
  }

  private timed(
    session: Session,
    statement: Statement,
    signal?: AbortSignal,
    first?: boolean,
  ): Outcome | Promise<Outcome> {
    const from = performance.now();
    this.statements++;
    try {
      const outcome = session.run(statement, signal, first);
      if (isPromise(outcome)) return this.later(outcome, from, statement);
      const durationMs = this.observed(from);
      if (durationMs >= this.noticeMs) this.held(session, statement, durationMs);
      return outcome;
    } catch (error) {
      this.failures++;
      this.observed(from);
      throw error;
    }
  }

  /** Records the duration of a statement, and returns it in milliseconds. */
  private observed(from: number): number {
    const durationMs = performance.now() - from;
    this.options.seconds?.observe(durationMs / 1000);
    return durationMs;
  }

  private async later(outcome: Promise<Outcome>, from: number, statement: Statement): Promise<Outcome> {
    try {
      return await outcome;
    } catch (error) {
      this.failures++;
      throw error;
    } finally {
      this.took(statement, this.observed(from));
    }
  }

  private held(session: Session, statement: Statement, durationMs: number): void {
    if (session === this.backend) this.backend.longReads?.took(statement.text, durationMs);
    this.took(statement, durationMs);
  }

  private took({ text }: Statement, durationMs: number): void {
    const { slowQueryMs, log } = this.options;
    if (slowQueryMs === 0 || durationMs < slowQueryMs) return;
    this.slow++;
    log()?.warn("slow query", { durationMs: Math.round(durationMs), text: text.slice(0, MAX_LOGGED_TEXT) });
  }

  async begin(options: BeginOptions): Promise<OpenTransaction> {
    return new WatchedTransaction(await this.backend.begin(options), this);
  }

  stream(statement: Statement, batchSize: number, signal?: AbortSignal): AsyncIterableIterator<Row[]> {
    return this.follow(this.backend.stream(statement, batchSize, signal), statement);
  }

  /** Counts and publishes a stream as one statement, which ends with its last row or when its reader leaves. */
  async *follow(batches: AsyncIterableIterator<Row[]>, statement: Statement): AsyncGenerator<Row[]> {
    this.statements++;
    const operation = this.options.operations.begin(statement);
    try {
      yield* batches;
    } catch (error) {
      this.failures++;
      operation?.fail(error);
      throw error;
    } finally {
      operation?.end();
    }
  }

  async notify(channel: string, payload: string): Promise<void> {
    await this.backend.notify(channel, payload);
  }

  listen(
    channel: string,
    listener: (payload: string) => void,
    options: ListenOptions,
  ): Promise<() => Promise<void>> {
    return this.backend.listen(channel, listener, options);
  }

  metrics(): PoolMetrics {
    return this.backend.metrics();
  }

  async close(): Promise<void> {
    await this.backend.close();
  }
}

class WatchedTransaction implements OpenTransaction {
  private readonly open: OpenTransaction;
  private readonly watch: WatchedBackend;

  constructor(open: OpenTransaction, watch: WatchedBackend) {
    this.open = open;
    this.watch = watch;
  }

  run(statement: Statement, signal?: AbortSignal, first?: boolean): Outcome | Promise<Outcome> {
    return this.watch.observe(this.open, statement, signal, first);
  }

  stream(statement: Statement, batchSize: number, signal?: AbortSignal): AsyncIterableIterator<Row[]> {
    return this.watch.follow(this.open.stream(statement, batchSize, signal), statement);
  }

  async script(text: string): Promise<void> {
    await this.open.script(text);
  }

  async notify(channel: string, payload: string): Promise<void> {
    await this.open.notify(channel, payload);
  }

  async commit(): Promise<void> {
    await this.open.commit();
  }

  async rollback(): Promise<void> {
    await this.open.rollback();
  }
}
