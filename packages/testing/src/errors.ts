import { FrameworkError } from "@framework/core";
import type { TestingErrorCode } from "./error-codes.ts";

/** Creates an error of this package. */
export const testingError = (code: TestingErrorCode, message: string, cause?: unknown): FrameworkError =>
  new FrameworkError(code, message, cause === undefined ? undefined : { cause });

/** Returns the message of an error, or any other thrown value as text. */
export const reasonOf = (error: unknown): string => (Error.isError(error) ? error.message : String(error));
