/** An operation of one connection. */
interface RunningOperation {
  readonly aborter: AbortController;
  /** Whether graphql-ws still has the operation: it drops one that the client completes. */
  readonly isWanted: () => boolean;
  /** Settles when graphql-ws has finished with the operation. Never rejects. */
  done: Promise<void>;
}

/** The operations of one connection, to abort each when the client no longer wants it. */
export class RunningOperations {
  private readonly operations = new Map<string, RunningOperation>();
  private begun: string | null = null;

  get size(): number {
    return this.operations.size;
  }

  begin(id: string, isWanted: () => boolean): void {
    this.operations.set(id, { aborter: new AbortController(), isWanted, done: Promise.resolve() });
    this.begun = id;
  }

  signalOf(id: string): AbortSignal {
    return this.operations.get(id)?.aborter.signal ?? AbortSignal.abort();
  }

  /** Takes the promise of the message that was just received: if it began an operation, the operation ends with it. */
  follow(handled: Promise<void>): void {
    const id = this.begun;
    this.begun = null;
    const operation = id === null ? undefined : this.operations.get(id);
    if (id === null || operation === undefined) return;
    operation.done = handled.finally(() => this.operations.delete(id));
  }

  /** Aborts the operations that the client has completed. Returns their ends to wait for, so that a new one may have the same id; `null` without any. */
  endUnwanted(): Promise<unknown> | null {
    const ends: Promise<void>[] = [];
    for (const { isWanted, aborter, done } of this.operations.values()) {
      if (isWanted()) continue;
      aborter.abort();
      ends.push(done);
    }
    return ends.length === 0 ? null : Promise.all(ends);
  }

  abortAll(): void {
    for (const { aborter } of this.operations.values()) aborter.abort();
  }
}
