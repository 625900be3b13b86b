import { type Histogram, isPromise, mapAwaitable, type Operations } from "@framework/core/feature";
import type { Awaitable, Logger } from "@framework/core";
import type {
  Backend,
  BeginOptions,
  Execution,
  BufferedNotifications,
  OpenTransaction,
  Outcome,
  PoolMetrics,
  Session,
} from "./backend.ts";
import { DatabaseUnavailableError } from "./database-errors.ts";
import { ReasonLog } from "./reason-log.ts";
import type { Row } from "./queries.ts";
import type { Statement } from "./statement.ts";

/** Options of `WatchedBackend`. */
export interface WatchOptions {
  /** Threshold for logging slow statements, with their text, and long waits; 0 disables it. */
  readonly slowQueryMs: number;
  readonly log: () => Logger | null;
  /** Publishes each statement. */
  readonly operations: Operations<Statement>;
  /** Records the duration of each statement, if given. */
  readonly seconds?: Histogram;
  /** Records the wait of each statement and transaction for a connection or lock, if given. */
  readonly waits?: Histogram;
}

const MAX_LOGGED_TEXT = 1000;

/** Wraps a backend to count and time its statements and publish them as operations. */
export class WatchedBackend implements Backend {
  readonly dialect: "sqlite" | "postgres";
  readonly maxTransactions: number;
  readonly idleInTransactionMs: number;
  private readonly backend: Backend;
  private readonly options: WatchOptions;
  /** Minimum duration of a slow statement or a long read. */
  private readonly noticeMs: number;
  readonly reasons: ReasonLog;
  statements = 0;
  failures = 0;
  slowStatements = 0;

  constructor(backend: Backend, options: WatchOptions) {
    this.backend = backend;
    this.options = options;
    this.reasons = new ReasonLog(options.log);
    this.dialect = backend.dialect;
    this.maxTransactions = backend.maxTransactions;
    this.idleInTransactionMs = backend.idleInTransactionMs;
    this.noticeMs = Math.min(options.slowQueryMs || Infinity, backend.longReads?.longMs ?? Infinity);
  }

  run(statement: Statement, execution: Execution): Outcome | Promise<Outcome> {
    return this.observe(this.backend, statement, execution);
  }

  observe(session: Session, statement: Statement, execution: Execution): Outcome | Promise<Outcome> {
    const { operations } = this.options;
    if (!operations.isObserved) return this.runTimed(session, statement, execution);
    return operations.run(statement, () => this.runTimed(session, statement, execution));
  }

  private runTimed(session: Session, statement: Statement, execution: Execution): Outcome | Promise<Outcome> {
    const from = performance.now();
    this.statements++;
    try {
      const outcome = session.run(statement, execution);
      if (isPromise(outcome)) return this.awaitTimed(outcome, from, statement, execution);
      const { waitedMs } = execution;
      const ranMs = this.recordDuration(from, waitedMs);
      if (waitedMs > 0) this.recordWait(waitedMs);
      if (ranMs >= this.noticeMs) this.recordBlocking(session, statement, execution, ranMs);
      return outcome;
    } catch (error) {
      this.recordFailure(error);
      this.recordDuration(from, 0);
      if (execution.waitedMs > 0) this.recordWait(execution.waitedMs);
      throw error;
    }
  }

  /** Records the duration of a statement without its wait; returns it in milliseconds. */
  private recordDuration(from: number, waitedMs: number): number {
    const ranMs = performance.now() - from - waitedMs;
    this.options.seconds?.observe(ranMs / 1000);
    return ranMs;
  }

  private async awaitTimed(
    outcome: Promise<Outcome>,
    from: number,
    statement: Statement,
    execution: Execution,
  ): Promise<Outcome> {
    let isUnavailable = false;
    try {
      return await outcome;
    } catch (error) {
      isUnavailable = error instanceof DatabaseUnavailableError;
      this.recordFailure(error);
      throw error;
    } finally {
      const { waitedMs } = execution;
      const ranMs = this.recordDuration(from, waitedMs);
      this.recordWait(waitedMs);
      if (!isUnavailable) this.logSlow(statement, ranMs, waitedMs);
    }
  }

  private recordBlocking(
    session: Session,
    statement: Statement,
    { workedMs }: Execution,
    ranMs: number,
  ): void {
    if (session === this.backend) this.backend.longReads?.record(statement.text, ranMs, workedMs);
    this.logSlow(statement, ranMs, 0);
  }

  private logSlow({ text }: Statement, ranMs: number, waitedMs: number): void {
    const { slowQueryMs, log } = this.options;
    if (slowQueryMs === 0 || ranMs < slowQueryMs) return;
    this.slowStatements++;
    log()?.warn("slow query", {
      durationMs: Math.round(ranMs),
      waitedMs: Math.round(waitedMs),
      text: text.slice(0, MAX_LOGGED_TEXT),
    });
  }

  private recordWait(waitedMs: number): void {
    this.options.waits?.observe(waitedMs / 1000);
    if (this.options.slowQueryMs > 0 && waitedMs >= this.options.slowQueryMs)
      this.reasons.recordWait(waitedMs);
  }

  private recordFailure(error: unknown): void {
    this.failures++;
    this.reasons.recordError(error);
  }

  begin(options: BeginOptions): Awaitable<OpenTransaction> {
    const from = performance.now();
    const begun = this.withLoggedReason(() => this.backend.begin(options));
    return mapAwaitable(begun, (open) => {
      this.recordWait(performance.now() - from);
      return new WatchedTransaction(open, this);
    });
  }

  /** Runs an operation that is not a statement, and logs its error if it is a 503. */
  withLoggedReason<T>(act: () => Awaitable<T>): Awaitable<T> {
    const onError = (error: unknown): never => {
      this.reasons.recordError(error);
      throw error;
    };
    try {
      const result = act();
      return isPromise(result) ? result.catch(onError) : result;
    } catch (error) {
      return onError(error);
    }
  }

  stream(statement: Statement, batchSize: number, signal?: AbortSignal): AsyncIterableIterator<Row[]> {
    return this.observeStream(this.backend.stream(statement, batchSize, signal), statement);
  }

  /** Counts and publishes a stream as one statement, which ends with the last row or when the reader stops. */
  async *observeStream(batches: AsyncIterableIterator<Row[]>, statement: Statement): AsyncGenerator<Row[]> {
    this.statements++;
    const operation = this.options.operations.begin(statement);
    try {
      yield* batches;
    } catch (error) {
      this.recordFailure(error);
      operation?.fail(error);
      throw error;
    } finally {
      operation?.end();
    }
  }

  async notify(channel: string, payload: string): Promise<void> {
    await this.withLoggedReason(() => this.backend.notify(channel, payload));
  }

  async listen(
    channel: string,
    listener: (payload: string) => void,
    onGap: () => void,
  ): Promise<() => Promise<void>> {
    return await this.withLoggedReason(() => this.backend.listen(channel, listener, onGap));
  }

  metrics(): PoolMetrics {
    return this.backend.metrics();
  }

  async close(graceMs?: number): Promise<void> {
    await this.backend.close(graceMs);
  }
}

class WatchedTransaction implements OpenTransaction {
  private readonly open: OpenTransaction;
  private readonly watch: WatchedBackend;

  constructor(open: OpenTransaction, watch: WatchedBackend) {
    this.open = open;
    this.watch = watch;
  }

  run(statement: Statement, execution: Execution): Outcome | Promise<Outcome> {
    return this.watch.observe(this.open, statement, execution);
  }

  stream(statement: Statement, batchSize: number, signal?: AbortSignal): AsyncIterableIterator<Row[]> {
    return this.watch.observeStream(this.open.stream(statement, batchSize, signal), statement);
  }

  script(text: string, signal?: AbortSignal): Awaitable<void> {
    return this.watch.withLoggedReason(() => this.open.script(text, signal));
  }

  get bufferedNotifications(): BufferedNotifications | undefined {
    return this.open.bufferedNotifications;
  }

  notify(channel: string, payload: string): Awaitable<void> {
    return this.watch.withLoggedReason(() => this.open.notify(channel, payload));
  }

  commit(): Awaitable<boolean> {
    return this.watch.withLoggedReason(() => this.open.commit());
  }

  rollback(): Awaitable<void> {
    return this.open.rollback();
  }
}
