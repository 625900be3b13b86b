/**
 * Returns a thrown value as an `Error` whose members can be read, except `stack`; other values become its cause. Never throws: a program may throw a proxy,
 * or an error with getters that throw.
 */
export const toError = (thrown: unknown): Error =>
  Error.isError(thrown) && isReadable(thrown)
    ? thrown
    : new Error(`${describe(thrown)} was thrown`, { cause: thrown });

/** `stack` is not read: V8 would format it. */
const isReadable = (error: Error & OwnMembers): boolean => {
  try {
    void [error.name, error.message, error.cause, error.code, error.framework];
    void [error.status, error.detail, error.error, error.headers, error.extras, error.issues, error.problems];
    return true;
  } catch {
    return false;
  }
};

/** Members that errors of the framework have. */
type OwnMembers = Readonly<
  Partial<
    Record<
      "code" | "framework" | "status" | "detail" | "error" | "headers" | "extras" | "issues" | "problems",
      unknown
    >
  >
>;

const describe = (thrown: unknown): string => {
  if (typeof thrown === "symbol" || typeof thrown === "function") return `a ${typeof thrown}`;
  if (thrown === null || typeof thrown !== "object") return `${thrown as string}`;
  return Error.isError(thrown) ? "an error that cannot be read" : "an object that is not an Error";
};
