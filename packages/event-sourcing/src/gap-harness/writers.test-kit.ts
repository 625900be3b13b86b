import { setTimeout as delay } from "node:timers/promises";
import { type Database, DatabaseUnavailableError, type Transaction } from "@framework/database";
import type { EventStore } from "../event-store.ts";
import type { NewEvent } from "../events/stored-event.ts";

/** Streams that all writers append to. */
const STREAMS = 6;

/** A kind of transaction with an append, and its probability. */
interface Kind {
  readonly share: number;
  readonly run: (parts: WriterParts, append: (tx?: Transaction) => Promise<unknown>) => Promise<unknown>;
}

/** Dependencies of `write`. */
export interface WriterParts {
  readonly db: Database;
  readonly store: EventStore;
  readonly random: () => number;
}

const sleepInDatabase = (tx: Transaction, { random }: WriterParts): Promise<unknown> =>
  tx.query`SELECT pg_sleep(${random() * 0.02})`;

const rollback = new Error("undone");

const kinds: readonly Kind[] = [
  { share: 0.35, run: (_parts, append) => append() },
  {
    // commits later than transactions that began after it
    share: 0.2,
    run: (parts, append) =>
      parts.db.transaction(async (tx) => {
        await append(tx);
        await sleepInDatabase(tx, parts);
      }),
  },
  {
    // has a transaction id from before its append
    share: 0.2,
    run: (parts, append) =>
      parts.db.transaction(async (tx) => {
        await tx.execute`INSERT INTO unrelated (note) VALUES ('earlier')`;
        await sleepInDatabase(tx, parts);
        await append(tx);
      }),
  },
  {
    // draws positions that never get an event
    share: 0.15,
    run: (parts, append) =>
      parts.db.transaction(async (tx) => {
        await append(tx);
        await sleepInDatabase(tx, parts);
        throw rollback;
      }),
  },
  {
    // the same in a savepoint: the transaction continues
    share: 0.05,
    run: (parts, append) =>
      parts.db.transaction(async (tx) => {
        const inner = tx.transaction(async (nested) => {
          await append(nested);
          throw rollback;
        });
        await inner.catch(() => {});
        await sleepInDatabase(tx, parts);
        await append(tx);
      }),
  },
  {
    // its connection is killed with the append uncommitted
    share: 0.05,
    run: ({ db }, append) =>
      db.transaction(async (tx) => {
        await append(tx);
        await tx.query`SELECT pg_terminate_backend(pg_backend_pid())`;
      }),
  },
];

/** Appends in transactions of random kinds until `count`, which all writers share and decrement, reaches 0. */
export const write = async (parts: WriterParts, left: { count: number }): Promise<void> => {
  const { store, random } = parts;
  while (left.count-- > 0) {
    const stream = `s-${Math.floor(random() * STREAMS)}`;
    const events = Array.from({ length: 1 + Math.floor(random() * 3) }, (): NewEvent => ({
      type: "Written",
      data: {},
    }));
    const append = (tx?: Transaction): Promise<unknown> => store.append(stream, events, { tx });
    await kindOf(random())
      .run(parts, append)
      .catch((error: unknown) => {
        if (error !== rollback && !(error instanceof DatabaseUnavailableError)) throw error;
      });
  }
};

const kindOf = (point: number): Kind => {
  let upTo = 0;
  for (const kind of kinds) {
    upTo += kind.share;
    if (point < upTo) return kind;
  }
  return kinds[0] as Kind;
};

/** Keeps a transaction open that writes but never appends. */
export const keepTransactionOpen = async (db: Database, until: AbortSignal): Promise<void> => {
  while (!until.aborted)
    await db.transaction(async (tx) => {
      await tx.execute`INSERT INTO unrelated (note) VALUES ('long')`;
      await delay(1500, null, { signal: until }).catch(() => {}); // the run has ended
    });
};
