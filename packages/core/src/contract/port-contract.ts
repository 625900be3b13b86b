import { FrameworkError } from "../errors/framework-error.ts";
import type { Awaitable } from "../middleware/middleware.ts";

/** The `test` function of a test runner, such as Jest or `node:test`. */
export type RegisterTest = (name: string, run: () => Promise<void>) => unknown;

/** One guarantee of a port: throws if the adapter in the fixture violates it. */
export type PortFact<Fixture> = (fixture: Fixture) => Awaitable<void>;

/** Facts by name. */
export type PortFacts<Fixture> = Readonly<Record<string, PortFact<Fixture>>>;

/** A suite that every adapter of a port passes. */
export interface PortContract<Fixture> {
  /** Registers each fact as a separate test named `title: fact`, with its own fixture. */
  (test: RegisterTest, make: () => Awaitable<Fixture>): void;
  /** Prefix of each test's name. */
  readonly title: string;
  /** The facts, by name. */
  readonly facts: PortFacts<Fixture>;
}

/** The usual fixture: a fresh, empty adapter of a port that several processes share. */
export interface PortFixture<Port> {
  /** Two views of one store, as two processes would have; the same object twice if the adapter serves a single process. */
  readonly views: readonly [Port, Port];
  /** Advances the time by `ms` milliseconds: on a virtual clock, or by waiting. */
  readonly advance: (ms: number) => Awaitable<void>;
  /** Closes everything that the fixture opened. */
  readonly close?: () => Awaitable<void>;
}

/**
 * Turns facts about a port into a suite for its adapters.
 *
 * Each fact gets its own fixture, which is disposed of afterwards even if the fact fails: by `Symbol.asyncDispose`, `Symbol.dispose` or
 * `close()`. A suite whose facts assert with `node:assert/strict` needs no particular runner.
 *
 * @example
 * export const storeContract = portContract<Store>("store", {
 *   "stores a value": async (store) => {
 *     await store.set("a", 1);
 *     assert.equal(await store.get("a"), 1);
 *   },
 * });
 * storeContract(test, () => memoryStore());
 * @throws CORE_BAD_CONTRACT for a contract without facts
 */
export const portContract = <Fixture>(title: string, facts: PortFacts<Fixture>): PortContract<Fixture> => {
  const named = Object.entries(facts);
  if (named.length === 0) throw badContract(`the contract "${title}" states no facts`);
  const register = (test: RegisterTest, make: () => Awaitable<Fixture>): void => {
    for (const [name, fact] of named) test(`${title}: ${name}`, async () => runFact(fact, await make()));
  };
  return Object.assign(register, { title, facts });
};

/** Runs one fact and disposes of its fixture. */
export const runFact = async <Fixture>(fact: PortFact<Fixture>, fixture: Fixture): Promise<void> => {
  try {
    await fact(fixture);
  } finally {
    await dispose(fixture);
  }
};

/** The error of an invalid contract or adapter. */
export const badContract = (message: string, cause?: unknown): FrameworkError =>
  new FrameworkError("CORE_BAD_CONTRACT", message, cause === undefined ? undefined : { cause });

interface Disposable {
  readonly close?: () => unknown;
  readonly [Symbol.dispose]?: () => unknown;
  readonly [Symbol.asyncDispose]?: () => unknown;
}

const dispose = async (fixture: unknown): Promise<void> => {
  if ((typeof fixture !== "object" && typeof fixture !== "function") || fixture === null) return;
  const disposable: Disposable = fixture;
  const end = disposable[Symbol.asyncDispose] ?? disposable[Symbol.dispose] ?? disposable.close;
  await end?.call(disposable);
};
