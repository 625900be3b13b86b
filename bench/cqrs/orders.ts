import { App, type StandardSchema } from "@framework/core";
import type { Feature } from "@framework/core/feature";
import {
  command,
  cqrs,
  type CqrsMethods,
  type Database,
  type DatabaseMethods,
  Db,
  durable,
  type DurableMethods,
  query,
} from "./packages.ts";

/** A schema that costs almost nothing, so that only dispatch is measured. */
const schema = <T>(): StandardSchema<T> => ({
  "~standard": { version: 1, vendor: "bench", validate: (value) => ({ value: value as T }) },
});

export interface Order {
  readonly book: string;
  readonly amount: number;
}

export const Place = command("Place", { input: schema<Order>(), output: schema<{ id: number }>() });
export const Count = query("Count", { input: schema<Order>(), output: schema<{ count: number }>() });

/** The same query without request coalescing. */
export const Uncoalesced = query("Uncoalesced", {
  input: schema<Order>(),
  output: schema<{ count: number }>(),
  coalesce: false,
});

export const TABLE = "CREATE TABLE orders (book TEXT NOT NULL, amount INTEGER NOT NULL)";

export type Shop = App & DatabaseMethods & DurableMethods & CqrsMethods;

/** Returns a feature that gives the app an open database, which the hand-written code of a comparison also uses. */
const sharedDatabase = (db: Database): Feature<DatabaseMethods> => ({
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

/** Creates an app on a database; the caller adds the handlers and starts it. */
export const shopOn = (db: Database): Shop =>
  new (App.with(sharedDatabase(db), durable, cqrs))().enableDatabase().enableCqrs();

export const quiet = { info() {}, warn() {}, error() {} };

/** Makes `calls` calls from several concurrent callers. */
export const fromCallers = async (
  callers: number,
  calls: number,
  call: (number: number) => Promise<unknown>,
): Promise<void> => {
  let left = calls;
  const caller = async (): Promise<void> => {
    while (left-- > 0) await call(left);
  };
  await Promise.all(Array.from({ length: callers }, caller));
};
