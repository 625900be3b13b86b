import { databaseClosed, DatabaseUnavailableError } from "../database-errors.ts";

/** The statement at which a simulated process dies. */
export interface Crash {
  /** Number of the statement, from 1. Begin, savepoint, release, commit and rollback count too; a script or stream counts as one. */
  readonly at: number;
  /** Before the database gets the statement, or after it took effect but before the reply arrives. */
  readonly when: "before" | "after";
}

/** Called when the reply to a statement arrives. @throws DatabaseUnavailableError if the process has died, or dies now */
export type OnReply = () => void;

const MAX_QUOTED_TEXT = 200;

/** Simulates a process that dies at a statement: afterwards no statement is sent and no reply arrives. */
export class CrashingProcess {
  /** Number of statements sent so far, including the one at which it died. */
  statements = 0;
  private readonly crash: Crash | null;
  private readonly onCrash: () => void;
  private readonly crashed = new AbortController();
  private readonly calls = new Set<Promise<unknown>>();
  private isClosed = false;
  private willCrash = false;

  /** @param onCrash called at the crash, before the rollbacks */
  constructor(crash: Crash | null, onCrash: () => void) {
    this.crash = crash;
    this.onCrash = onCrash;
  }

  get isDead(): boolean {
    return this.signal.aborted;
  }

  /** Whether callbacks must not run: the process has died, or will once the current statement has taken effect. */
  get isSilent(): boolean {
    return this.willCrash || this.isDead;
  }

  /** Aborts at the crash; the reason is the error of all later calls. */
  get signal(): AbortSignal {
    return this.crashed.signal;
  }

  /** Returns a signal that aborts at the crash, and when `other` does. */
  until(other: AbortSignal | undefined): AbortSignal {
    return other === undefined ? this.signal : AbortSignal.any([other, this.signal]);
  }

  /** Counts a statement before it is sent. @throws DatabaseUnavailableError if the process has died, or dies now */
  send(text: string): OnReply {
    this.checkAlive();
    this.statements++;
    const isLast = this.crash?.at === this.statements;
    if (isLast && this.crash?.when === "before") this.fail(text);
    this.willCrash ||= isLast;
    return () => (isLast && !this.isDead ? this.fail(text) : this.checkAlive());
  }

  /** Runs one statement. */
  async act<T>(text: string, run: () => Promise<T>): Promise<T> {
    const onReply = this.send(text);
    try {
      return await run();
    } finally {
      onReply();
    }
  }

  /** Runs a database call, for which `close` waits. @throws DATABASE_CLOSED */
  async call<T>(run: () => Promise<T>): Promise<T> {
    this.checkOpen();
    const running = run();
    this.calls.add(running);
    try {
      return await running;
    } finally {
      this.calls.delete(running);
    }
  }

  /** Refuses further calls, and waits until the running ones have ended or were rolled back at the crash. */
  async close(): Promise<void> {
    this.isClosed = true;
    await Promise.allSettled(this.calls);
  }

  checkOpen(): void {
    if (this.isClosed) throw databaseClosed();
  }

  checkAlive(): void {
    this.signal.throwIfAborted();
  }

  private fail(text: string): never {
    this.onCrash();
    const statement = text.trim().slice(0, MAX_QUOTED_TEXT);
    const reason = `the process was killed ${this.crash?.when} statement ${this.statements}: ${statement}`;
    this.crashed.abort(new DatabaseUnavailableError(reason));
    throw this.signal.reason;
  }
}
