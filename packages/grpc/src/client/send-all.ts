import { once } from "node:events";
import type { ClientDuplexStream, ClientWritableStream } from "@grpc/grpc-js";
import { cancelCall } from "./cancel-call.ts";

/** Source of a client's stream, with the error with which it failed. */
export interface Source {
  error: unknown;
}

/**
 * Writes messages as fast as the server reads, then ends the stream. If the source fails, cancels the call with the source's error as the cause. Never
 * rejects.
 */
export const sendAll = async (
  stream: ClientWritableStream<unknown> | ClientDuplexStream<unknown, unknown>,
  messages: AsyncIterable<unknown> | Iterable<unknown>,
  source: Source,
): Promise<void> => {
  let hasEnded = false;
  const end = new AbortController();
  const onEnd = (): void => {
    hasEnded = true;
    end.abort();
  };
  stream.once("close", onEnd);
  stream.once("error", onEnd);
  stream.once("status", onEnd);
  try {
    for await (const message of messages) {
      if (hasEnded) return;
      if (!stream.write(message)) await once(stream, "drain", { signal: end.signal });
    }
    stream.end();
  } catch (error) {
    if (hasEnded) return;
    source.error = error;
    cancelCall(stream); // the caller sees CANCELLED with this cause
  }
};

/** Closes the source of a call that is never sent. Never rejects. */
export const closeSource = async (messages: AsyncIterable<unknown> | Iterable<unknown>): Promise<void> => {
  try {
    const iterator =
      Symbol.asyncIterator in messages ? messages[Symbol.asyncIterator]() : messages[Symbol.iterator]();
    await iterator.return?.();
  } catch {
    // The caller gets the reason why the call was not sent instead.
  }
};
