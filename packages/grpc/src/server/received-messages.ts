import type * as Grpc from "@grpc/grpc-js";
import type { GrpcCall } from "../call/grpc-call.ts";
import { GrpcError } from "../status/grpc-error.ts";

type Bytes = Uint8Array;
type StreamedCall = Grpc.ServerReadableStream<Bytes, Buffer> | Grpc.ServerDuplexStream<Bytes, Buffer>;

/** Turns of the event loop after which a reset that follows the end of a stream is known: measured, at most 2 in all of 80 calls. */
const TURNS = 2;

/** The messages of a client. Fails unless the client ends the stream itself, after a whole message: a handler that read all of them has all. */
export async function* receivedMessages(native: StreamedCall, call: GrpcCall): AsyncGenerator<Bytes> {
  try {
    // The end of the iteration must not destroy the stream, which the answer still needs.
    yield* native.iterator({ destroyOnReturn: false }) as AsyncIterable<Bytes>;
  } catch (error) {
    throw call.aborted ?? error; // a stream of both sides fails with an error of grpc-js
  }
  // Node's clients, and so grpc-js, end a stream that they cancel before they reset it.
  for (let turn = 0; turn < TURNS && call.aborted === null; turn++)
    await new Promise((resolve) => setImmediate(resolve));
  if (call.aborted !== null) throw call.aborted;
  if (isWithinMessage(native)) throw new GrpcError("INTERNAL", "The message is incomplete");
}

/** Whether the decoder of grpc-js, whose exact version is a dependency, waits for the rest of a message: it ignores the start of one at the end. */
const isWithinMessage = (native: StreamedCall): boolean => {
  const { call } = native as unknown as {
    readonly call: { readonly decoder: { readonly readState: number } };
  };
  return call.decoder.readState !== 0;
};
