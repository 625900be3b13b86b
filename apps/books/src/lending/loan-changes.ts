import type { EventStore, EventOf } from "@framework/event-sourcing";
import { loanEvents } from "./loan.ts";

/** A change of the ledger, as subscribers see it. */
export interface LoanChange {
  readonly kind: "BORROWED" | "RETURNED" | "REMINDED";
  readonly book: number;
  readonly member: string;
  /** Go on after it. */
  readonly position: string;
}

const kinds = { BookBorrowed: "BORROWED", BookReturned: "RETURNED", MemberReminded: "REMINDED" } as const;

/**
 * Yields the changes of the ledger, made by any process, until the signal aborts. The store hands over one event at a time and reads no further before the
 * client has taken it, so a slow client holds one batch in memory.
 *
 * @param after position of the last change that the client has; `undefined` for those from now on
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
  // An end of the subscription, such as a failing store, ends the stream with its error.
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
