import { expect, test } from "@jest/globals";
import type { Database, Transaction } from "./index.ts";
import { openDatabase } from "./open.ts";

const refusals: readonly [name: string, code: string, run: (db: never, tx: never) => unknown][] = [
  ["a transaction without a function", "DATABASE_BAD_TRANSACTION", (db: Call) => db["transaction"]?.()],
  [
    "options of a transaction that are null",
    "DATABASE_BAD_TRANSACTION",
    (db: Call) => db["transaction"]?.(async () => {}, null),
  ],
  [
    "a string as `readOnly`",
    "DATABASE_BAD_TRANSACTION",
    (db: Call) => db["transaction"]?.(async () => {}, { readOnly: "no" }),
  ],
  [
    "text as `timeoutSecs`",
    "DATABASE_BAD_TIMEOUT",
    (db: Call) => db["transaction"]?.(async () => {}, { timeoutSecs: "10" }),
  ],
  [
    "a list with a hole as a value",
    "DATABASE_BAD_VALUE",
    // oxlint-disable-next-line no-sparse-arrays -- a hole
    (db: Call) => db["query"]?.("SELECT $1", [[1, , NaN]]),
  ],
  [
    "a value that is not a signal",
    "DATABASE_BAD_SIGNAL",
    (db: Call) => db["transaction"]?.(async () => {}, { signal: 5 }),
  ],
  [
    "a nested transaction without a function",
    "DATABASE_BAD_TRANSACTION",
    (_: Call, tx: Call) => tx["transaction"]?.(null),
  ],
  [
    "a callback that is not a function",
    "DATABASE_BAD_TRANSACTION",
    (_: Call, tx: Call) => tx["onCommit"]?.(5),
  ],
  ["a script that is null", "DATABASE_BAD_STATEMENT", (_: Call, tx: Call) => tx["script"]?.(null)],
  ["a script that is a list", "DATABASE_BAD_STATEMENT", (_: Call, tx: Call) => tx["script"]?.(["SELECT 1"])],
  ["no signal for `until`", "DATABASE_BAD_SIGNAL", (db: Call) => db["until"]?.()],
  ["a controller for `until`", "DATABASE_BAD_SIGNAL", (db: Call) => db["until"]?.(new AbortController())],
  [
    "options of a stream that are null",
    "DATABASE_BAD_BATCH",
    (db: Call) => db["stream"]?.({ text: "" }, null),
  ],
  ["a channel that is null", "DATABASE_BAD_NOTIFICATION", (db: Call) => db["notify"]?.(null)],
  ["a listener that is missing", "DATABASE_BAD_NOTIFICATION", (db: Call) => db["listen"]?.("news")],
  [
    "options of `listen` that are null",
    "DATABASE_BAD_NOTIFICATION",
    (db: Call) => db["listen"]?.("news", () => {}, null),
  ],
  [
    "`onGap` that is not a function",
    "DATABASE_BAD_NOTIFICATION",
    (db: Call) => db["listen"]?.("news", () => {}, { onGap: 1 }),
  ],
];

/** A database or transaction, called without type checks. */
type Call = Readonly<Record<string, (...given: readonly unknown[]) => unknown>>;

test.each(refusals)("%s is refused, with the code %s", async (_name, code, run) => {
  const db: Database = openDatabase({ url: "sqlite://:memory:" });
  const refused = db.transaction(async (tx: Transaction) => {
    await run(db as never, tx as never);
  });
  await expect(refused).rejects.toMatchObject({ name: "FrameworkError", code });
  await db.close();
});

test.each([{}, { timeoutSecs: 3600 }])(
  "a transaction's function may return a value or a thenable in place of a promise, with the options %j",
  async (options) => {
    const db: Call = openDatabase({ url: "sqlite://:memory:" }) as never;
    expect(await db["transaction"]?.(() => 5, options)).toBe(5);
    // oxlint-disable-next-line unicorn/no-thenable -- the value under test
    const thenable = { then: (resolve: (value: number) => void) => resolve(6) };
    expect(await db["transaction"]?.(() => thenable, options)).toBe(6);
    await db["close"]?.();
  },
);
