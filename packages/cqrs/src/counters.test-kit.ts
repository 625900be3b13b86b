// An app with counters, on the database of a test.
import { App, type Logger, type StandardSchema } from "@framework/core";
import type { ConfigInput, Feature } from "@framework/core/feature";
import { type Database, database, type DatabaseMethods, Db } from "@framework/database";
import type { TestDatabase } from "@framework/database/testing";
import { durable, type DurableMethods } from "@framework/durable";
import { z } from "zod";
import { type Command, command, cqrs, type CqrsConfig, type CqrsMethods } from "./index.ts";

const amountAdded: StandardSchema<{ name: string; amount: number }> = z.object({
  name: z.string().min(1),
  amount: z.number().int(),
});
const newTotal: StandardSchema<{ total: number }> = z.object({ total: z.number() });

export const Add: Command<typeof amountAdded, typeof newTotal> = command("Add", {
  input: amountAdded,
  output: newTotal,
});

/** A log that records its lines. */
export interface Lines extends Logger {
  readonly lines: { readonly level: string; readonly message: string }[];
}

export const newLog = (): Lines => {
  const lines: Lines["lines"] = [];
  const write = (level: string) => (message: string) => void lines.push({ level, message });
  return { lines, info: write("info"), warn: write("warn"), error: write("error") };
};

export const TABLE = "CREATE TABLE IF NOT EXISTS counters (name TEXT PRIMARY KEY, total INTEGER NOT NULL)";

export type CounterApp = App & DatabaseMethods & DurableMethods & CqrsMethods;

/** An app that is not started; its table is created at the start. */
export const counterApp = (storage: TestDatabase, config: ConfigInput<CqrsConfig> = {}): CounterApp => {
  const app = new (App.with(database, durable, cqrs))()
    .enableDatabase({ url: storage.url, poolSize: 3 })
    .enableCqrs(config);
  app.onEvent("startup", async () => void (await app.db.execute(TABLE)));
  return app;
};

/** Adds to a counter and returns its new total. */
export const add = async (
  tx: Pick<CounterApp["db"], "fetchValue">,
  name: string,
  amount: number,
): Promise<number> =>
  (await tx.fetchValue<number>`INSERT INTO counters (name, total) VALUES (${name}, ${amount})
    ON CONFLICT (name) DO UPDATE SET total = counters.total + excluded.total RETURNING total`) ?? 0;

export const totalOf = async ({ db }: Pick<CounterApp, "db">, name: string): Promise<number | null> =>
  await db.fetchValue<number>`SELECT total FROM counters WHERE name = ${name}`;

/** Starts an app, runs a test, and stops the app. */
export const runStarted = async (
  app: CounterApp,
  test: () => Promise<void>,
  log: Logger = newLog(),
): Promise<void> => {
  await app.start({ log });
  try {
    await test();
  } finally {
    await app.stop();
  }
};

/** Returns the error of a call that must fail. */
export const failureOf = async (
  call: Promise<unknown>,
): Promise<
  Error & {
    readonly status?: number;
    readonly code?: string;
    readonly extras?: Readonly<Record<string, unknown>>;
  }
> => {
  try {
    await call;
  } catch (error) {
    return error as Error;
  }
  throw new Error("expected an error");
};

/** A database feature that provides the database of a test. */
export const databaseOf = (db: Database): Feature<DatabaseMethods> => ({
  name: "database",
  install: (host) => {
    host.state.provide(Db, { create: () => db });
    return {
      enableDatabase() {
        return this;
      },
      get db() {
        return db;
      },
    };
  },
});

/** An app on a database that the caller opens and closes, and in which it has created the table. */
export const counterAppOn = (db: Database, config: ConfigInput<CqrsConfig> = {}): CounterApp =>
  new (App.with(databaseOf(db), durable, cqrs))().enableDatabase().enableCqrs(config);
