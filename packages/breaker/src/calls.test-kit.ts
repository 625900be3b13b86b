// Helpers that call a worker's circuit.
import assert from "node:assert/strict";
import { CircuitOpenError } from "@framework/core";
import type { Outcome, Worker } from "./service.test-kit.ts";

/** Calls one worker. Returns the output, `null` if rejected. */
export const call = async (worker: Worker | undefined, outcome: Outcome): Promise<Outcome | null> => {
  try {
    return (await worker?.call(null, () => outcome)) ?? null;
  } catch (error) {
    assert.ok(error instanceof CircuitOpenError);
    return null;
  }
};

export const fail = async (worker: Worker | undefined, count: number): Promise<void> => {
  for (let failure = 0; failure < count; failure++) await call(worker, "failure");
};

/** A call in progress, or rejected. */
export interface PendingCall {
  /** Whether the circuit let the call through. */
  isAdmitted: boolean;
  /** Ends the call with an outcome. */
  readonly end: (outcome: Outcome) => void;
}

/** Starts a call in a worker, and does not wait for it. */
export const begin = (worker: Worker | undefined): PendingCall => {
  const { promise, resolve } = Promise.withResolvers<Outcome>();
  const begun: PendingCall = { isAdmitted: false, end: resolve };
  const next = (): Promise<Outcome> => {
    begun.isAdmitted = true;
    return promise;
  };
  const answer = async () => worker?.call(null, next);
  answer().catch((error: unknown) => assert.ok(error instanceof CircuitOpenError));
  return begun;
};
