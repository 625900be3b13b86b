import { testingError } from "./errors.ts";

/**
 * A replacement for `Math.random` that returns the same numbers for the same seed: at least 0 and below 1, uniformly distributed, repeating after 2³²
 * calls. Not for secrets.
 *
 * @throws TESTING_BAD_OPTION for a seed that is not a safe integer
 */
export const seededRandom = (seed: number): (() => number) => {
  if (!Number.isSafeInteger(seed))
    throw testingError("TESTING_BAD_OPTION", `a seed must be a safe integer, not ${seed}`);
  let state = hashed(hashed(Math.floor(seed / 2 ** 32)) + (seed | 0));
  return () => {
    state = (state + 0x9e3779b9) | 0; // an odd step visits every state once
    return (hashed(state) >>> 0) / 2 ** 32;
  };
};

/** Bijective hash of a 32-bit number: each input bit affects every output bit. */
const hashed = (value: number): number => {
  const first = Math.imul(value ^ (value >>> 16), 0x21f0aaad);
  const second = Math.imul(first ^ (first >>> 15), 0x735a2d97);
  return second ^ (second >>> 15);
};
