import { messageOf, toError } from "@framework/core/feature";

/**
 * Converts a thrown value to an error that GraphQL can read. The library fails on objects without a prototype, proxies, and errors whose members throw or
 * whose message is not a string.
 */
export const normalizeError = (thrown: unknown): Error => {
  const error = toError(thrown);
  return typeof error.message === "string" ? error : new Error(messageOf(error), { cause: error });
};
