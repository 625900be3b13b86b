/** An operation of one connection. */
interface RunningOperation {
  readonly aborter: AbortController;
  /** Whether graphql-ws still has the operation: it drops one that the client completes. */
  readonly isWanted: () => boolean;
  /** Settles when graphql-ws has finished with the operation. Never rejects. */
  done: Promise<void>;
}

/** The operations of one connection, to abort each when the client no longer wants it. They have no ids here: graphql-ws frees an id before its operation has ended. */
export class RunningOperations {
  private readonly operations = new Set<RunningOperation>();
  private begun: RunningOperation | null = null;

  get size(): number {
    return this.operations.size;
  }

  /** Returns the signal that aborts the operation. */
  begin(isWanted: () => boolean): AbortSignal {
    const operation = { aborter: new AbortController(), isWanted, done: Promise.resolve() };
    this.operations.add(operation);
    this.begun = operation;
    return operation.aborter.signal;
  }

  /** Takes the promise of the message that was just received: if it began an operation, the operation ends with it. */
  follow(handled: Promise<void>): void {
    const operation = this.begun;
    this.begun = null;
    if (operation === null) return;
    operation.done = handled.finally(() => this.operations.delete(operation));
  }

  /** Aborts the operations that no longer have their id, most of them completed by the client. Returns a promise of their end, after which a new one may have the same id; `null` without any. */
  endUnwanted(): Promise<unknown> | null {
    const ends: Promise<void>[] = [];
    for (const { isWanted, aborter, done } of this.operations) {
      if (isWanted()) continue;
      aborter.abort();
      ends.push(done);
    }
    return ends.length === 0 ? null : Promise.all(ends);
  }

  abortAll(): void {
    for (const { aborter } of this.operations) aborter.abort();
  }
}
