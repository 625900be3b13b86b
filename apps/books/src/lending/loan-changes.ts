import type { EventStore, EventOf } from "@framework/event-sourcing";
import { loanEvents } from "./loan.ts";

/** A change of a loan, as sent to subscribers. */
export interface LoanChange {
  readonly kind: "BORROWED" | "RETURNED" | "REMINDED";
  readonly book: number;
  readonly member: string;
  /** Pass it as `after` to resume after this change. */
  readonly position: string;
}

const kinds = { BookBorrowed: "BORROWED", BookReturned: "RETURNED", MemberReminded: "REMINDED" } as const;

/**
 * Yields changes of loans, made by any process, until the signal aborts. The subscription waits until the client has taken an event, so for a slow client at
 * most one batch is in memory.
 *
 * @param after position of the last change that the client has; `undefined` for changes from now on
 */
export async function* loanChanges(
  store: EventStore,
  after: string | undefined,
  signal: AbortSignal,
): AsyncGenerator<LoanChange, void, void> {
  const { readable, writable } = new TransformStream<LoanChange, LoanChange>();
  const writer = writable.getWriter();
  const start = after ?? (await store.position());
  await using subscription = store.subscribe({ after: start, types: names, signal }, async (event) => {
    const { type, data, position } = event as unknown as EventOf<(typeof loanEvents)[number]> & {
      readonly position: string;
    };
    await writer.ready;
    await writer.write({ kind: kinds[type], book: data.book, member: data.member, position });
  });
  // When the subscription ends, for example because the store fails, the stream ends with the same error.
  void subscription.done.then(
    () => writer.close().catch(() => {}),
    (error: unknown) => writer.abort(error),
  );
  const stop = (): void => void writer.abort(signal.reason).catch(() => {});
  signal.addEventListener("abort", stop, { once: true });
  try {
    yield* readable;
  } finally {
    signal.removeEventListener("abort", stop);
  }
}

const names = loanEvents.map(({ type }) => type);
