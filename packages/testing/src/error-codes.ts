import type { ErrorCatalogue } from "@framework/core/feature";

/** An error code of this package. */
export type TestingErrorCode =
  | "TESTING_BAD_OPTION"
  | "TESTING_CLIENT_CLOSED"
  | "TESTING_CONTRACT_BROKEN"
  | "TESTING_MISSING_PACKAGE"
  | "TESTING_NOT_JSON"
  | "TESTING_PROGRAM_FAILED"
  | "TESTING_REPLY_TOO_LARGE"
  | "TESTING_TIMEOUT";

/** The error codes of this package. */
export const testingErrors: ErrorCatalogue<TestingErrorCode> = {
  TESTING_BAD_OPTION: {
    summary: "an argument of this package is malformed or contradicts another",
    action: "the message names the argument",
  },
  TESTING_CLIENT_CLOSED: {
    summary:
      "a request was made or `url` was called after the client was disposed, or the request was in flight at that moment",
    action: "dispose the client after the last reply",
  },
  TESTING_CONTRACT_BROKEN: {
    summary: "an app's reply deviates from its OpenAPI document",
    action: "correct the app or the document; the message shows the simplest request",
  },
  TESTING_MISSING_PACKAGE: {
    summary: "`contractTest` was called without fast-check or ajv installed",
    action: "install the packages that the message names",
  },
  TESTING_NOT_JSON: {
    summary: "`json()` was called on a reply whose body is not JSON",
    action: "the message shows the body",
  },
  TESTING_PROGRAM_FAILED: {
    summary: "a program could not be started, or exited before it listened",
    action: "the message shows its output",
  },
  TESTING_REPLY_TOO_LARGE: {
    summary: "a buffered reply exceeds `maxReplyBytes`",
    action: "raise `maxReplyBytes`, or read the reply as a stream",
  },
  TESTING_TIMEOUT: {
    summary: "a request, a program or a condition exceeded its timeout",
    action: "the message names the awaited operation",
  },
};
