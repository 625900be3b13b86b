/** Returns a thrown value as an `Error`; other values become its cause. */
export const toError = (thrown: unknown): Error =>
  Error.isError(thrown) ? thrown : new Error(`${describe(thrown)} was thrown`, { cause: thrown });

const describe = (thrown: unknown): string => {
  if (thrown === null || typeof thrown !== "object")
    return typeof thrown === "symbol" ? "a symbol" : `${thrown as string}`;
  return "an object that is not an Error";
};
