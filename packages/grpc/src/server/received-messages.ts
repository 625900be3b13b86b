import type { GrpcCall } from "../call/grpc-call.ts";
import { GrpcError } from "../status/grpc-error.ts";
import type { IncomingMessages } from "./incoming-messages.ts";

/** Turns of the event loop after which a reset that follows the end of a stream is known: measured, at most 2 in all of 80 calls. */
const TURNS = 2;

/** The messages of a client. Fails unless the client ends the stream itself, after a whole message: a handler that read all of them has all. */
export async function* receivedMessages(
  messages: IncomingMessages,
  call: GrpcCall,
): AsyncGenerator<Uint8Array> {
  for (let message = await messages.next(); message !== null; message = await messages.next()) yield message;
  // Node's clients, and so grpc-js, end a stream that they cancel before they reset it.
  for (let turn = 0; turn < TURNS && call.aborted === null; turn++)
    await new Promise((resolve) => setImmediate(resolve));
  if (call.aborted !== null) throw call.aborted;
  if (messages.isWithinMessage) throw incomplete();
}

/** Returns the message of a call that has one, and ends the call of any other. @throws GrpcError of a call that has ended */
export const onlyMessage = async (messages: IncomingMessages, call: GrpcCall): Promise<Uint8Array> => {
  const message = await messages.next();
  if (message !== null && !(await messages.hasMore())) return message;
  const error = messages.isWithinMessage && message === null ? incomplete() : notOne(message);
  call.abort(error);
  throw error;
};

const incomplete = (): GrpcError => new GrpcError("INTERNAL", "The message is incomplete");

const notOne = (message: Uint8Array | null): GrpcError =>
  new GrpcError("UNIMPLEMENTED", `The call has ${message === null ? "no" : "more than one"} message`);
