import { FrameworkError } from "../../errors/framework-error.ts";
import { HttpError } from "../../errors/http-error.ts";

/** Result of an iterator after the last chunk of a body. */
export const bodyEnd: IteratorReturnResult<undefined> = Object.freeze({ done: true, value: undefined });

/** Creates the error for a second iteration over a body. */
export const bodyUsed = (): FrameworkError =>
  new FrameworkError("CORE_BODY_USED", "the body of the request was streamed already; it can be read once");

/** Creates the error for a handler that still reads the body after the reply was sent. */
export const bodyOver = (): HttpError =>
  new HttpError(400, "The reply was sent before the request body was read to the end", {
    code: "CORE_BODY_OVER",
  });
