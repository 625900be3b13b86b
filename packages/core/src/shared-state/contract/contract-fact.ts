import assert from "node:assert/strict";
import { FrameworkError } from "../../errors/framework-error.ts";
import type { Awaitable } from "../../middleware/middleware.ts";
import type { SharedState } from "../shared-state.ts";

/** What the contract is tried on: a fresh, empty state. */
export interface SharedStateFixture {
  /** Two views of one state, as two workers have; one object may be both where there is only one process. */
  readonly views: readonly [SharedState, SharedState];
  /** Lets `ms` milliseconds pass: on a virtual clock, or by waiting. */
  readonly advance: (ms: number) => Awaitable<void>;
  readonly close?: () => Awaitable<void>;
}

/** One promise of the port. */
export type Fact = readonly [name: string, body: (fixture: SharedStateFixture) => Promise<void>];

/** A life that no fact outlasts, in milliseconds. */
export const ttlMs = 10_000;

/** A call is refused with a code, at once or by a promise. */
export const refuses = async (code: string, call: () => unknown): Promise<void> => {
  await assert.rejects(
    async () => call(),
    (error) => FrameworkError.is(error) && error.code === code,
    code,
  );
};
