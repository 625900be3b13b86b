// Failures of a step's own statements and transactions.
import { openDatabase, sql, type Transaction } from "@framework/database";
import { expect, test } from "@jest/globals";
import { bench } from "./bench.test-kit.ts";
import { saga } from "./index.ts";

test.each([
  ["with too few values", (tx: Transaction) => tx.execute("SELECT $1", [])],
  ["with a second statement", (tx: Transaction) => tx.execute("SELECT 1; SELECT 2")],
  ["that ends the transaction", (tx: Transaction) => tx.execute("COMMIT")],
  ["with an unnamed column", (tx: Transaction) => tx.execute`SELECT ${sql.identifier("")}`],
])("a statement %s is a programming error: the saga is paused, and nothing is undone", async (_what, act) => {
  let undos = 0;
  const definition = saga("s", 1)
    .call("paid", () => 1, { undo: () => void undos++ })
    .tx("store", async (_, tx) => void (await act(tx)))
    .build();
  await using own = await bench(definition);
  const id = await own.start();
  await own.pass(30_000);
  expect([(await own.info(id)).status, undos]).toEqual(["paused", 0]);
});

test("a transaction of a step that exceeds its own time limit counts as an attempt", async () => {
  const db = openDatabase({ url: "sqlite://:memory:" });
  const endless = () => db.transaction(() => new Promise(() => {}), { timeoutSecs: 0.01 });
  const definition = saga("s", 1)
    .call("slow", endless, { retry: { attempts: 2, delayMs: 0 } })
    .build();
  await using own = await bench(definition);
  const id = await own.start();
  await own.worker.runAll();
  expect(await own.info(id)).toMatchObject({
    status: "compensated",
    error: { code: "DATABASE_TRANSACTION_TIMEOUT" },
    steps: [{ attempts: 2 }],
  });
  await db.close();
});
