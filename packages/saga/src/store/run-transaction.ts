import type { Transaction } from "@framework/database";

/** Runs a function in a transaction; it may run more than once. */
export type RunTransaction = <T>(run: (tx: Transaction) => Promise<T>) => Promise<T>;
