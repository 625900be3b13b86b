import { setTimeout as delay } from "node:timers/promises";
import { FrameworkError } from "@framework/core";
import { describeInvalid, markHandled, messageOf } from "@framework/core/feature";
import { checkOptions, checkRun, checkSignal } from "./arguments.ts";
import type { Backend } from "./backend.ts";
import { orAborted } from "./deadlines.ts";
import { CommitUnknownError, DatabaseError, DatabaseUnavailableError } from "./database-errors.ts";
import type {
  Database,
  ListenOptions,
  Queries,
  Transaction,
  TransactionOptions,
  UntilOptions,
} from "./queries.ts";
import { SessionQueries } from "./transactions/session-queries.ts";
import { guarded } from "./guarded.ts";
import { IdleLimit } from "./transactions/idle-limit.ts";
import { listenUntil } from "./listen-until.ts";
import { retryPauseMs } from "./transactions/retry-pause.ts";
import { RunningTransaction } from "./transactions/running-transaction.ts";
import { checkListening, checkNotification } from "./notification.ts";
import { TextChecker } from "./sql-text/text-checker.ts";
import { TransactionLease } from "./transactions/transaction-lease.ts";
import { TransactionScope } from "./transactions/transaction-scope.ts";

const DEFAULT_RETRIES = 3;
const MAX_TIMEOUT_SECS = 604_800;

/** Options of `OpenDatabase`. */
export interface OpenDatabaseOptions {
  /** Called with a message, and the error of an `onCommit` callback or a listener. @default a process warning */
  readonly onCallbackError?: (message: string, error: unknown) => void;
  /** Called with the error of each transaction that exceeded its `timeoutSecs`. @default nothing */
  readonly onTimeout?: (error: unknown) => void;
  /** Returns random numbers from 0 to 1, for the jitter of retries. @default Math.random */
  readonly random?: () => number;
}

const warn = (failure: string, error: unknown): void =>
  process.emitWarning(failure, { detail: messageOf(error) });

/** A database on a backend: adds transactions with retries, and delegates the rest. */
export class OpenDatabase extends SessionQueries implements Database {
  readonly dialect: "sqlite" | "postgres";
  readonly maxTransactions: number;
  private readonly backend: Backend;
  private readonly onCommitError: (error: unknown) => void;
  private readonly onListenerError: (error: unknown) => void;
  private readonly onTimeout: (error: unknown) => void;
  private readonly random: () => number;
  private readonly idleLimit: IdleLimit;

  constructor(
    backend: Backend,
    { onCallbackError = warn, onTimeout = () => {}, random = Math.random }: OpenDatabaseOptions = {},
  ) {
    super(backend, new TextChecker(backend.dialect));
    this.backend = backend;
    this.onCommitError = (error) => onCallbackError("a callback of onCommit failed", error);
    this.onListenerError = (error) => onCallbackError("a listener of notifications failed", error);
    this.onTimeout = onTimeout;
    this.random = random;
    this.idleLimit = new IdleLimit(backend.idleInTransactionMs);
    this.dialect = backend.dialect;
    this.maxTransactions = backend.maxTransactions;
  }

  transaction<T>(run: (tx: Transaction) => Promise<T>, options: TransactionOptions = {}): Promise<T> {
    return markHandled(this.transact(run, options));
  }

  private async transact<T>(run: (tx: Transaction) => Promise<T>, options: TransactionOptions): Promise<T> {
    checkRun(run);
    checkOptions(options);
    const { retries = DEFAULT_RETRIES } = options;
    const limit = limitOf(options, this.onTimeout);
    try {
      for (let failures = 0; ; failures++) {
        try {
          return await this.attempt(run, options, limit);
        } catch (error) {
          if (!isTransient(error) || failures >= retries) throw error;
          limit.hasBegun = false;
          await this.pause(failures, limit);
        }
      }
    } finally {
      limit.end();
    }
  }

  private async pause(failures: number, { signal }: TransactionLimit): Promise<void> {
    const pauseMs = retryPauseMs(failures, this.random());
    await delay(pauseMs, undefined, { signal }).catch(() => signal?.throwIfAborted());
  }

  private async attempt<T>(
    run: (tx: Transaction) => Promise<T>,
    { isolation = "read committed", readOnly = false }: TransactionOptions,
    limit: TransactionLimit,
  ): Promise<T> {
    const { signal, timeoutMs } = limit;
    signal?.throwIfAborted();
    const open = await this.backend.begin({ isolation, readOnly, signal, timeoutMs });
    limit.hasBegun = true;
    const lease = new TransactionLease(open, this.idleLimit);
    const scope = new TransactionScope(lease);
    let value: T;
    try {
      value = await orAborted(run(new RunningTransaction(scope, this.checker, signal)), signal);
      signal?.throwIfAborted();
      scope.finish();
    } catch (error) {
      scope.end();
      await lease.rollback();
      throw signal?.aborted === true ? signal.reason : error;
    }
    try {
      if (!(await lease.commit())) throw scope.rollbackError;
    } catch (error) {
      if (error instanceof CommitUnknownError) scope.callbacks.run(this.onCommitError);
      throw error;
    }
    scope.callbacks.run(this.onCommitError);
    return value;
  }

  until(signal: AbortSignal, options?: UntilOptions): Queries {
    checkSignal(signal);
    return new SessionQueries(this.backend, this.checker, signal, options);
  }

  async listen(
    channel: string,
    listener: (payload: string) => void,
    options: ListenOptions = {},
  ): Promise<() => Promise<void>> {
    checkNotification(channel, "");
    checkListening(listener, options);
    const { signal, onGap = () => {} } = options;
    const own = guarded(
      (payload: string) => (signal?.aborted === true ? undefined : listener(payload)),
      this.onListenerError,
    );
    const gap = guarded(onGap, this.onListenerError);
    return await listenUntil(() => this.backend.listen(channel, own, gap), signal);
  }

  notify(channel: string, payload = ""): Promise<void> {
    return markHandled(this.sendNotification(channel, payload));
  }

  private async sendNotification(channel: string, payload: string): Promise<void> {
    checkNotification(channel, payload);
    await this.backend.notify(channel, payload);
  }

  async close(): Promise<void> {
    await this.backend.close();
  }
}

interface TransactionLimit {
  readonly signal: AbortSignal | undefined;
  readonly timeoutMs: number | undefined;
  /** Whether the current attempt has begun; before, it waits for the database. */
  hasBegun: boolean;
  /** Clears the timer when the transaction has ended. */
  readonly end: () => void;
}

/** @throws DATABASE_BAD_TIMEOUT */
const limitOf = (
  { signal, timeoutSecs }: TransactionOptions,
  onTimeout: (error: unknown) => void,
): TransactionLimit => {
  if (timeoutSecs === undefined) return { signal, timeoutMs: undefined, hasBegun: false, end: () => {} };
  if (!(typeof timeoutSecs === "number" && timeoutSecs >= 0.01 && timeoutSecs <= MAX_TIMEOUT_SECS)) {
    throw new FrameworkError(
      "DATABASE_BAD_TIMEOUT",
      `timeoutSecs must be a number from 0.01 to ${MAX_TIMEOUT_SECS}, not ${describeInvalid(timeoutSecs)}`,
    );
  }
  const aborting = new AbortController();
  const expire = (): void => {
    const code = limit.hasBegun ? "DATABASE_TRANSACTION_TIMEOUT" : "DATABASE_UNAVAILABLE";
    const error = new DatabaseUnavailableError(`the transaction took longer than ${timeoutSecs} s`, { code });
    onTimeout(error);
    aborting.abort(error);
  };
  const timer = setTimeout(expire, timeoutSecs * 1000); // not unref'ed: the function may wait for something that does not keep the process running
  // Not AbortSignal.any, whose weak references take a tenth of the time of a short transaction.
  const abort = (): void => aborting.abort(signal?.reason);
  if (signal?.aborted === true) abort();
  else signal?.addEventListener("abort", abort, { once: true });
  const end = (): void => {
    clearTimeout(timer);
    signal?.removeEventListener("abort", abort);
  };
  const limit = { signal: aborting.signal, timeoutMs: timeoutSecs * 1000, hasBegun: false, end };
  return limit;
};

/** Whether a retry may succeed; also true if the function caught such an error and returned. */
const isTransient = (error: unknown): boolean => {
  if (!Error.isError(error)) return false; // `instanceof` throws for some proxies
  if (error instanceof DatabaseError) return error.kind === "serialization" || error.kind === "deadlock";
  return (
    FrameworkError.is(error) && error.code === "DATABASE_TRANSACTION_ABORTED" && isTransient(error.cause)
  );
};
