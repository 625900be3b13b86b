import { FrameworkError, HttpError } from "@framework/core";

/** A mistake of the program: the reply is a plain 500. */
export const mistake = (code: string, message: string, cause?: unknown): FrameworkError =>
  new FrameworkError(code, `event-sourcing: ${message}`, cause === undefined ? undefined : { cause });

/** 409: the state of a stream refuses the append. The message for clients does not name the stream. */
export const refusal = (code: string, detail: string, cause: string): HttpError =>
  new HttpError(409, detail, { code, cause: new Error(cause) });
