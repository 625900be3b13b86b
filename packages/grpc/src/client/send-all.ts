import { once } from "node:events";
import type { ClientDuplexStream, ClientWritableStream } from "@grpc/grpc-js";
import { cancelCall } from "./cancel-call.ts";

/** Holds the error with which the source of a client's stream failed. */
export interface Source {
  error: unknown;
}

/** Writes messages as fast as the server reads, then ends the stream. A source that fails cancels the call, and its error is kept as the cause. Never rejects. */
export const sendAll = async (
  stream: ClientWritableStream<unknown> | ClientDuplexStream<unknown, unknown>,
  messages: AsyncIterable<unknown> | Iterable<unknown>,
  source: Source,
): Promise<void> => {
  let isOver = false;
  const end = new AbortController();
  const over = (): void => {
    isOver = true;
    end.abort();
  };
  stream.once("close", over);
  stream.once("error", over);
  stream.once("status", over);
  try {
    for await (const message of messages) {
      if (isOver) return;
      if (!stream.write(message)) await once(stream, "drain", { signal: end.signal });
    }
    stream.end();
  } catch (error) {
    if (isOver) return;
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
    // The caller gets the reason why the call was not sent.
  }
};
