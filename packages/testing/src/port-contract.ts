import type { Awaitable } from "@framework/core";
import { testingError } from "./errors.ts";
import type { RegisterTest } from "./register-test.ts";

/** Makes one adapter of a port; a fact may call it several times. */
export type Make<Port> = () => Awaitable<Port>;

/** One promise of a port: throws when an adapter does not keep it. */
export type PortFact<Port> = (make: Make<Port>) => Awaitable<void>;

/** A suite that every adapter of a port passes. */
export interface PortContract<Port> {
  /** Registers every fact as a test of its own, named `title: fact`. */
  (test: RegisterTest, make: Make<Port>): void;
  readonly title: string;
  readonly facts: Readonly<Record<string, PortFact<Port>>>;
}

/**
 * Turns facts about a port into a suite for its adapters.
 *
 * What `make` gave to a fact is disposed of after it, the last first: by `Symbol.asyncDispose`, `Symbol.dispose` or `close()`. A suite whose facts assert
 * with `node:assert/strict` needs no particular runner.
 *
 * @example
 * export const storeContract = portContract<Store>("store", {
 *   "stores a value": async (make) => {
 *     const store = await make();
 *     await store.set("a", 1);
 *     assert.equal(await store.get("a"), 1);
 *   },
 * });
 * storeContract(test, () => memoryStore());
 * @throws TESTING_BAD_OPTION for a contract without facts
 */
export const portContract = <Port>(title: string, facts: PortContract<Port>["facts"]): PortContract<Port> => {
  const named = Object.entries(facts);
  if (named.length === 0) throw testingError("TESTING_BAD_OPTION", `the contract "${title}" states no facts`);
  const register = (test: RegisterTest, make: Make<Port>): void => {
    for (const [name, fact] of named) test(`${title}: ${name}`, () => runFact(fact, make));
  };
  return Object.assign(register, { title, facts });
};

/** Runs one fact and disposes of the adapters it made, also when it fails. */
export const runFact = async <Port>(fact: PortFact<Port>, make: Make<Port>): Promise<void> => {
  await using made = new AsyncDisposableStack();
  await fact(async () => {
    const port = await make();
    made.defer(() => dispose(port));
    return port;
  });
};

interface Ending {
  readonly close?: () => unknown;
  readonly [Symbol.dispose]?: () => unknown;
  readonly [Symbol.asyncDispose]?: () => unknown;
}

const dispose = async (port: unknown): Promise<void> => {
  if ((typeof port !== "object" && typeof port !== "function") || port === null) return;
  const adapter: Ending = port;
  const end = adapter[Symbol.asyncDispose] ?? adapter[Symbol.dispose] ?? adapter.close;
  await end?.call(adapter);
};
