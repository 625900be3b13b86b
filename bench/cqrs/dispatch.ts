import { type InProcessComparison, compareImplementations } from "../data/compare-implementations.ts";
import { Count, fromCallers, type Order, Place, quiet, shopOn, Uncoalesced } from "./orders.ts";
import { type Database, openDatabase, type Transaction } from "./packages.ts";

/** Concurrent callers. */
const CALLERS = 16;

/** The operation to call. */
export type Operation = "command" | "query" | "query without coalescing";

const order: Order = { book: "Emma", amount: 1 };

/** A database whose transactions cost nothing once `begin` is called, so that only dispatch is measured. */
const withoutTransactions = (db: Database): { readonly db: Database; readonly begin: () => void } => {
  let isFree = false;
  const tx = { onCommit: (): void => {} } as unknown as Transaction; // the only member that the pipeline uses without a key
  const transaction: Database["transaction"] = async (run, options) =>
    isFree ? await run(tx) : await db.transaction(run, options);
  const free = Object.create(db, { transaction: { value: transaction } }) as Database;
  return { db: free, begin: () => (isFree = true) };
};

/** Compares the call of a handler through the pipeline with a direct call. */
export const compareDispatch = async (which: Operation, rounds: number): Promise<InProcessComparison> => {
  const own = openDatabase({ url: "sqlite://:memory:" });
  const { db, begin } = withoutTransactions(own);
  const app = shopOn(db);
  const place = async ({ amount }: Order): Promise<{ id: number }> => ({ id: amount });
  const count = async ({ amount }: Order): Promise<{ count: number }> => ({ count: amount });
  app.cqrs.handle(Place, place).handle(Count, count).handle(Uncoalesced, count);
  await app.start({ log: quiet });
  begin();
  const calls: Readonly<Record<Operation, (number: number) => Promise<unknown>>> = {
    command: () => app.cqrs.execute(Place, order),
    query: (amount) => app.cqrs.query(Count, { ...order, amount }),
    "query without coalescing": () => app.cqrs.query(Uncoalesced, order),
  };
  const direct = which === "command" ? place : count;
  try {
    return await compareImplementations(
      { name: which, run: (n) => fromCallers(CALLERS, n, calls[which]) },
      { name: "direct", run: (n) => fromCallers(CALLERS, n, () => direct(order)) },
      { calls: 500, rounds },
    );
  } finally {
    await app.stop();
    await own.close();
  }
};
