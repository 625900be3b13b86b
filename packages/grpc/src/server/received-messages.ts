import type { GrpcCall } from "../call/grpc-call.ts";
import { GrpcError } from "../status/grpc-error.ts";
import type { IncomingMessages } from "./incoming-messages.ts";

/** Turns of the event loop within which a reset follows the end of a stream: at most 2 in each of 80 measured calls. */
const TURNS = 2;

/** The messages of a client. Throws unless the client ends the stream after a whole message, so that a handler never mistakes a lost stream for a complete one. */
export async function* receivedMessages(
  messages: IncomingMessages,
  call: GrpcCall,
): AsyncGenerator<Uint8Array> {
  for (let message = await messages.next(); message !== null; message = await messages.next()) yield message;
  // When Node's clients, such as grpc-js, cancel a stream, they end it before they reset it.
  for (let turn = 0; turn < TURNS && call.aborted === null; turn++)
    await new Promise((resolve) => setImmediate(resolve));
  if (call.aborted !== null) throw call.aborted;
  if (messages.isWithinMessage) throw incomplete();
}

/** Returns the message of a call that must have exactly one, else aborts the call. @throws GrpcError of a call that has ended */
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
