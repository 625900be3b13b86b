import { createHash } from "node:crypto";
import { type Comparison, compareImplementations } from "../data/compare-implementations.ts";
import { fromCallers, type Order, Place, quiet, shopOn, TABLE } from "./orders.ts";
import { type Database, openDatabase, type Transaction } from "./packages.ts";

/** Options of a comparison of commands. */
export interface CommandCase {
  readonly url: string;
  readonly synchronous?: "full" | "normal";
  /** Concurrent callers. */
  readonly callers: number;
  /** Whether each call has an idempotency key. */
  readonly keyed: boolean;
}

const order = (number: number): Order => ({ book: `book-${number}`, amount: number % 7 });

const insert = async (tx: Transaction, { book, amount }: Order): Promise<{ id: number }> => {
  await tx.execute`INSERT INTO orders (book, amount) VALUES (${book}, ${amount})`;
  return { id: amount };
};

/** Runs the handler in a hand-written transaction. */
const plain = (db: Database, number: number): Promise<{ id: number }> =>
  db.transaction((tx) => insert(tx, order(number)));

/** Runs the handler with an idempotency key, which it looks up first and stores with the result. */
const keyed = (db: Database, number: number, key: string): Promise<{ id: number }> =>
  db.transaction(async (tx) => {
    const input = order(number);
    const hash = createHash("sha256").update(JSON.stringify(input)).digest("base64url");
    if (db.dialect === "postgres")
      await tx.query`SELECT pg_try_advisory_xact_lock(hashtextextended(${key}, 0))`;
    const row = await tx.fetchOne<{ hash: string; result: string }>`
      SELECT hash, result FROM hand_keys WHERE key = ${key} AND expires_at > ${Date.now()}`;
    if (row !== null) return JSON.parse(row.result) as { id: number };
    const result = await insert(tx, input);
    await tx.execute`INSERT INTO hand_keys (key, hash, result, expires_at)
      VALUES (${key}, ${hash}, ${JSON.stringify(result)}, ${Date.now() + 86_400_000})`;
    return result;
  });

const KEYS =
  "CREATE TABLE hand_keys (key TEXT PRIMARY KEY, hash TEXT NOT NULL, result TEXT NOT NULL, expires_at BIGINT NOT NULL)";

/** Compares a command with one write with the same hand-written transaction, on one database. */
export const compareCommands = async (
  { url, synchronous = "full", callers, keyed: hasKeys }: CommandCase,
  rounds: number,
): Promise<Comparison> => {
  const db = openDatabase({ url, synchronous, poolSize: callers });
  await db.execute(TABLE);
  await db.execute(KEYS);
  await db.execute("CREATE INDEX hand_keys_expiry ON hand_keys (expires_at)"); // for removal of expired keys
  const app = shopOn(db);
  app.cqrs.handle(Place, (input, { tx }) => insert(tx, input));
  await app.start({ log: quiet });
  let keys = 0;
  const execute = (number: number): Promise<unknown> =>
    app.cqrs.execute(Place, order(number), hasKeys ? { idempotencyKey: `ours-${++keys}` } : {});
  const byHand = (number: number): Promise<unknown> =>
    hasKeys ? keyed(db, number, `hand-${++keys}`) : plain(db, number);
  try {
    return await compareImplementations(
      { name: "command", run: (calls) => fromCallers(callers, calls, execute) },
      { name: "by hand", run: (calls) => fromCallers(callers, calls, byHand) },
      { calls: callers === 1 ? 300 : 1000, rounds },
    );
  } finally {
    await app.stop();
    await db.execute("DROP TABLE orders");
    await db.execute("DROP TABLE hand_keys");
    await db.close();
  }
};
