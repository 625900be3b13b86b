import { once } from "node:events";
import type { ClientDuplexStream, ClientWritableStream } from "@grpc/grpc-js";

/** Writes messages as fast as the server reads, then ends the stream. A source that fails cancels the call. Never rejects. */
export const sendAll = async (
  stream: ClientWritableStream<unknown> | ClientDuplexStream<unknown, unknown>,
  messages: AsyncIterable<unknown> | Iterable<unknown>,
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
  } catch {
    if (!isOver) stream.cancel(); // the caller sees CANCELLED; the error of the source is the caller's own
  }
};
