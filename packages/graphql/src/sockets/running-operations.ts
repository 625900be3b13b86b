/** An operation of one connection. */
interface RunningOperation {
  readonly id: string;
  readonly aborter: AbortController;
  /** Whether graphql-ws still has the operation: it drops an operation that the client completes. */
  readonly isWanted: () => boolean;
  /** Settles when graphql-ws has finished with the operation. Never rejects. */
  done: Promise<void>;
}

/** Operations of one connection, which are aborted if the client completes them. They are not stored by id, because graphql-ws frees an id before its operation has ended. */
export class RunningOperations {
  private readonly operations = new Set<RunningOperation>();
  private lastBegun: RunningOperation | null = null;

  get size(): number {
    return this.operations.size;
  }

  /** Id of the operation that the last received message began; `null` if it began none. */
  get begunId(): string | null {
    return this.lastBegun?.id ?? null;
  }

  /** Returns the signal that aborts the operation. */
  begin(id: string, isWanted: () => boolean): AbortSignal {
    const operation = { id, aborter: new AbortController(), isWanted, done: Promise.resolve() };
    this.operations.add(operation);
    this.lastBegun = operation;
    return operation.aborter.signal;
  }

  /** Sets the promise of the last received message: an operation that the message began ends when it settles. */
  follow(handled: Promise<void>): void {
    const operation = this.lastBegun;
    this.lastBegun = null;
    if (operation === null) return;
    operation.done = handled.finally(() => this.operations.delete(operation));
  }

  /**
   * Aborts operations that graphql-ws has dropped, mostly because the client completed them. Returns a promise of their end, after which their ids may be
   * reused; `null` if there are none.
   */
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
