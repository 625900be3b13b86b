import assert from "node:assert/strict";
import { FrameworkError } from "../../errors/framework-error.ts";

/** A time to live in milliseconds that is longer than any test case. */
export const TTL_MS = 10_000;

/** Asserts that a call throws or rejects with a code. */
export const failsWith = async (code: string, call: () => unknown): Promise<void> => {
  await assert.rejects(
    async () => call(),
    (error) => FrameworkError.is(error) && error.code === code,
    code,
  );
};
