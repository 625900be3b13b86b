import type { Writable } from "node:stream";
import type { GrpcCall } from "../call/grpc-call.ts";

/** Maximum bytes queued for a slow client before the handler is paused; one message may be larger. */
const MAX_WAITING_BYTES = 65_536;

/**
 * Returns a function that writes a message. If more than 64 KiB are then queued for the client, it returns a promise that resolves once the queue is below that.
 *
 * Streams of grpc-js buffer 16 messages of any size, which at 4 MiB each is too much per call.
 */
export const writeWithin = (stream: Writable, call: GrpcCall): ((bytes: Buffer) => void | Promise<void>) => {
  let waiting = 0;
  let resume: (() => void) | null = null;
  const wake = (): void => {
    const waiter = resume;
    resume = null;
    waiter?.();
  };
  stream.once("close", wake);
  return (bytes) => {
    if (call.aborted !== null) throw call.aborted;
    waiting += bytes.length;
    stream.write(bytes, () => {
      waiting -= bytes.length;
      if (waiting <= MAX_WAITING_BYTES) wake();
    });
    if (waiting <= MAX_WAITING_BYTES) return;
    return untilResumed(call, (resolve) => {
      resume = resolve;
    });
  };
};

/** Waits for the client or for the end of the call. @throws GrpcError of an aborted call */
const untilResumed = async (call: GrpcCall, whenResumed: (resolve: () => void) => void): Promise<void> => {
  const { signal } = call;
  await new Promise<void>((resolve) => {
    const onEnd = (): void => {
      signal.removeEventListener("abort", onEnd);
      resolve();
    };
    whenResumed(onEnd);
    signal.addEventListener("abort", onEnd);
    if (signal.aborted) onEnd();
  });
  if (call.aborted !== null) throw call.aborted;
};
