import { messageOf, toError } from "@framework/core/feature";

/**
 * Returns a thrown value as an error that GraphQL can read: programs may throw objects without a prototype, proxies, and errors whose members throw or whose
 * message is not a string, and the library fails on each of them.
 */
export const readableError = (thrown: unknown): Error => {
  const error = toError(thrown);
  return typeof error.message === "string" ? error : new Error(messageOf(error), { cause: error });
};
