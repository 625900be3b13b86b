import { FrameworkError } from "@framework/core";

/** Codes of this package, and when each is thrown. */
export const testingErrors = {
  TESTING_BAD_OPTION: "an argument of this package is malformed or contradicts another",
  TESTING_CLIENT_CLOSED: "a request came after the client was disposed of, or was in flight at that moment",
  TESTING_CLOCK_RUNAWAY: "one call of a virtual clock fired more timers than its bound",
  TESTING_CONTRACT_BLIND: "a contract passed against an adapter that was broken on purpose",
  TESTING_CONTRACT_BROKEN: "an app answers what its OpenAPI document does not say",
  TESTING_MISSING_PACKAGE: "`contractTest` was called without fast-check or ajv installed",
  TESTING_NOT_JSON: "`json()` was called on a reply whose body is not JSON",
  TESTING_PROGRAM_FAILED: "a program ended before it listened, or could not be started",
  TESTING_REPLY_TOO_LARGE: "a buffered reply has more bytes than `maxReplyBytes`",
  TESTING_TIMEOUT: "a request, a program or a condition took longer than its deadline",
} as const;

/** A code of this package. */
export type TestingErrorCode = keyof typeof testingErrors;

/** An error of this package; its code is checked against the table above by the compiler. */
export const testingError = (code: TestingErrorCode, message: string, cause?: unknown): FrameworkError =>
  new FrameworkError(code, message, cause === undefined ? undefined : { cause });

/** What a thrown value says, whatever it is. */
export const reasonOf = (error: unknown): string => (Error.isError(error) ? error.message : String(error));
