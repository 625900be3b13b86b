import assert from "node:assert/strict";
import { FrameworkError } from "../../errors/framework-error.ts";

/** A life that no fact outlasts, in milliseconds. */
export const ttlMs = 10_000;

/** Asserts that a call fails with a code, at once or by a promise. */
export const failsWith = async (code: string, call: () => unknown): Promise<void> => {
  await assert.rejects(
    async () => call(),
    (error) => FrameworkError.is(error) && error.code === code,
    code,
  );
};
