import { FrameworkError, HttpError } from "@framework/core";

/** Creates an error of the program, not of the client: a request is answered with a plain 500. */
export const eventError = (code: string, message: string, cause?: unknown): FrameworkError =>
  new FrameworkError(code, `event-sourcing: ${message}`, cause === undefined ? undefined : { cause });

/** Shows a wrong value in a message: a string in quotes, because `"1"` would otherwise look like the expected number. */
export const shownValue = (value: unknown): string =>
  typeof value === "string" ? JSON.stringify(value) : String(value);

/** Creates a 409: the state of the stream does not allow the append. `detail`, for clients, does not name the stream. */
export const refusal = (code: string, detail: string, cause: string): HttpError =>
  new HttpError(409, detail, { code, cause: new Error(cause) });
