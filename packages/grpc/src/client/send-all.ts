import { once } from "node:events";
import type { ClientDuplexStream, ClientWritableStream } from "@grpc/grpc-js";
import { cancelCall } from "./cancel-call.ts";

/** The messages of a client's stream, with the error that ended them. */
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

/** Ends the source of a call that is not sent. Never rejects. */
export const leaveSource = async (messages: AsyncIterable<unknown> | Iterable<unknown>): Promise<void> => {
  try {
    const iterator =
      Symbol.asyncIterator in messages ? messages[Symbol.asyncIterator]() : messages[Symbol.iterator]();
    await iterator.return?.();
  } catch {
    // The caller gets the reason for which the call was not sent.
  }
};
