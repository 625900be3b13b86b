import { FrameworkError } from "../../errors/framework-error.ts";

/** What an iterator gives behind the last chunk of a body. */
export const bodyEnd: IteratorReturnResult<undefined> = Object.freeze({ done: true, value: undefined });

/** For whoever asks for the chunks of a body that were given out already. */
export const bodyUsed = (): FrameworkError =>
  new FrameworkError("CORE_BODY_USED", "the request's body can be streamed once; it was taken before");
