import { ClientError } from "./client-error.ts";
import { emptyReply, isEmpty } from "./empty-reply.ts";

/** Limits and callbacks of `boundReply`. */
export interface ReplyBounds {
  /** Aborts the body, even if its source ignores the signal. */
  readonly signal: AbortSignal;
  /** Maximum size of the body in bytes. */
  readonly maxReplyBytes: number;
  /** Called when the body has ended, failed or was cancelled. */
  readonly onEnd: () => void;
  /** Converts an error of the body to the error that the reader gets. */
  readonly toError: (error: unknown) => unknown;
}

/** Limits the size of a reply's body, aborts it with the signal, and reports its end. An empty reply ends immediately, without being read. */
export const boundReply = (method: string, reply: Response, bounds: ReplyBounds): Response => {
  const { body, status, statusText, headers } = reply;
  if (body !== null && !isEmpty(method, reply))
    return new Response(boundBody(body, bounds), { status, statusText, headers });
  bounds.onEnd();
  if (body === null) return reply;
  body.cancel().catch(() => {}); // the body is not needed
  return emptyReply(method, reply);
};

const boundBody = (
  body: NonNullable<Response["body"]>,
  { signal, maxReplyBytes, onEnd, toError }: ReplyBounds,
): ReadableStream<Uint8Array<ArrayBuffer>> => {
  const reader = body.getReader();
  let failNow = (): void => {};
  const end = (): void => {
    signal.removeEventListener("abort", failNow); // the caller's signal may live longer than the call
    onEnd();
  };
  const cancel = (reason?: unknown): void => {
    reader.cancel(reason).catch(() => {}); // the reader gets the first error
    end();
  };
  let size = 0;
  return new ReadableStream<Uint8Array<ArrayBuffer>>(
    {
      start(controller) {
        failNow = () => {
          controller.error(toError(signal.reason));
          cancel(signal.reason);
        };
        if (signal.aborted === true) failNow();
        else signal.addEventListener("abort", failNow);
      },
      async pull(controller) {
        try {
          const { done, value } = await reader.read();
          if (signal.aborted === true) return; // `failNow` has already failed the stream
          if (done) {
            controller.close();
            end();
            return;
          }
          size += value.length;
          if (size > maxReplyBytes)
            throw new ClientError("CLIENT_BODY_TOO_LARGE", `the reply is larger than ${maxReplyBytes} bytes`);
          controller.enqueue(value);
        } catch (error) {
          controller.error(toError(error));
          cancel(error);
        }
      },
      cancel,
    },
    { highWaterMark: 0 }, // reads only when the caller reads
  );
};
