import { ClientError } from "./client-error.ts";

/** What `boundReply` needs of a call. */
export interface ReplyBounds {
  /** Maximum size of the body in bytes. */
  readonly maxReplyBytes: number;
  /** Called once, when the body has ended, failed or was cancelled. */
  readonly finished: () => void;
  /** Converts an error of the body to the one that the reader gets. */
  readonly toError: (error: unknown) => unknown;
}

/** Limits the size of a reply's body, and reports its end. */
export const boundReply = (reply: Response, { maxReplyBytes, finished, toError }: ReplyBounds): Response => {
  const { body, status, statusText, headers } = reply;
  if (body === null) {
    finished();
    return reply;
  }
  const reader = body.getReader();
  const end = (reason?: unknown): void => {
    reader.cancel(reason).catch(() => {}); // the reader has the first error
    finished();
  };
  let size = 0;
  const bounded = new ReadableStream<Uint8Array<ArrayBuffer>>(
    {
      async pull(controller) {
        try {
          const { done, value } = await reader.read();
          if (done) {
            controller.close();
            finished();
            return;
          }
          size += value.length;
          if (size > maxReplyBytes)
            throw new ClientError("CLIENT_BODY_TOO_LARGE", `the reply is larger than ${maxReplyBytes} bytes`);
          controller.enqueue(value);
        } catch (error) {
          controller.error(toError(error));
          end(error);
        }
      },
      cancel: end,
    },
    { highWaterMark: 0 }, // reads only when the program does
  );
  return new Response(bounded, { status, statusText, headers });
};
