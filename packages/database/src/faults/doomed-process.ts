import { databaseClosed, DatabaseUnavailableError } from "../database-errors.ts";

/** Where a process dies. */
export interface Crash {
  /** Number of the statement, from 1. Begin, savepoint, release, commit and rollback count too, and a script or stream as one. */
  readonly at: number;
  /** Before the database gets the statement, or after the statement took effect but before its answer arrives. */
  readonly when: "before" | "after";
}

/** Called when the answer of a statement arrives. @throws DatabaseUnavailableError when the process has died, or dies now */
export type Answered = () => void;

const MAX_QUOTED_TEXT = 200;

/** Counts statements and dies at one of them: from then on none is sent, and no answer arrives. */
export class DoomedProcess {
  /** Statements sent so far, with the one it died at. */
  statements = 0;
  private readonly crash: Crash | null;
  private readonly died: () => void;
  private readonly death = new AbortController();
  private readonly calls = new Set<Promise<unknown>>();
  private isClosed = false;
  private isDying = false;

  /** @param died called at the death, before anything is rolled back */
  constructor(crash: Crash | null, died: () => void) {
    this.crash = crash;
    this.died = died;
  }

  get isDead(): boolean {
    return this.signal.aborted;
  }

  /** Whether callbacks must not run any more: it has died, or will when the statement that was sent has taken effect. */
  get isSilent(): boolean {
    return this.isDying || this.isDead;
  }

  /** Aborts at the death, with the error of everything afterwards. */
  get signal(): AbortSignal {
    return this.death.signal;
  }

  /** Aborts at the death, and when `other` does. */
  until(other: AbortSignal | undefined): AbortSignal {
    return other === undefined ? this.signal : AbortSignal.any([other, this.signal]);
  }

  /** Counts a statement before it is sent. @throws DatabaseUnavailableError when the process has died, or dies now */
  send(text: string): Answered {
    this.checkAlive();
    this.statements++;
    const isLast = this.crash?.at === this.statements;
    if (isLast && this.crash?.when === "before") this.die(text);
    this.isDying ||= isLast;
    return () => (isLast && !this.isDead ? this.die(text) : this.checkAlive());
  }

  /** Runs one statement. */
  async act<T>(text: string, run: () => Promise<T>): Promise<T> {
    const answered = this.send(text);
    try {
      return await run();
    } finally {
      answered();
    }
  }

  /** Runs a call of the database, which `close` waits for. @throws DATABASE_CLOSED */
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

  /** Refuses further calls, and waits until the running ones have ended, or were rolled back at the death. */
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

  private die(text: string): never {
    this.died();
    const statement = text.trim().slice(0, MAX_QUOTED_TEXT);
    const reason = `the process was killed ${this.crash?.when} statement ${this.statements}: ${statement}`;
    this.death.abort(new DatabaseUnavailableError(reason));
    throw this.signal.reason;
  }
}
