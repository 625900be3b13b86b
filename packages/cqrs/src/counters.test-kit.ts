// An app with counters, on a database of the test's own.
import { mkdtempDisposableSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { App, type Logger, type StandardSchema } from "@framework/core";
import type { ConfigInput, Feature } from "@framework/core/feature";
import { type Database, database, type DatabaseMethods, Db, openDatabase, sql } from "@framework/database";
import { durable, type DurableMethods } from "@framework/durable";
import { z } from "zod";
import { type Command, command, cqrs, type CqrsConfig, type CqrsMethods } from "./index.ts";

/** A database that tests may use: its address, and its end. */
export type Place = { readonly url: string } & AsyncDisposable;

export const inFile = (): Place => {
  const folder = mkdtempDisposableSync(join(tmpdir(), "cqrs-"));
  return {
    url: `sqlite://${join(folder.path, "test.db")}`,
    async [Symbol.asyncDispose]() {
      folder.remove();
    },
  };
};

let made = 0;

/** A schema of a test's own on a shared PostgreSQL server. */
export const inSchema = async (server: string): Promise<Place> => {
  const name = `cqrs_${process.pid}_${++made}`;
  const admin = openDatabase({ url: server, poolSize: 1 });
  await admin.execute`CREATE SCHEMA ${sql.identifier(name)}`;
  const url = new URL(server);
  url.searchParams.set("options", `-c search_path=${name}`);
  return {
    url: url.href,
    async [Symbol.asyncDispose]() {
      await admin.execute`DROP SCHEMA ${sql.identifier(name)} CASCADE`;
      await admin.close();
    },
  };
};

const amountAdded: StandardSchema<{ name: string; amount: number }> = z.object({
  name: z.string().min(1),
  amount: z.number().int(),
});
const newTotal: StandardSchema<{ total: number }> = z.object({ total: z.number() });

export const Add: Command<typeof amountAdded, typeof newTotal> = command("Add", {
  input: amountAdded,
  output: newTotal,
});

/** What a log got. */
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

/** An app that is not started yet; its table is created at the start. */
export const counterApp = (place: Place, config: ConfigInput<CqrsConfig> = {}): CounterApp => {
  const app = new (App.with(database, durable, cqrs))().enableDatabase({ url: place.url }).enableCqrs(config);
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
export const started = async (
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

/** The error of a call that must fail. */
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

/** A database feature that gives the app a database of the test's own. */
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

/** An app on a database that its caller opens, closes and has created the table in. */
export const counterAppOn = (db: Database, config: ConfigInput<CqrsConfig> = {}): CounterApp =>
  new (App.with(databaseOf(db), durable, cqrs))().enableDatabase().enableCqrs(config);
