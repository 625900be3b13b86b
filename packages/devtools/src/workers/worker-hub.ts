import type { Json, SharedValues } from "@framework/core/feature";
import type { Message } from "../messages.ts";

const CHANNEL = "devtools";

/** Maximum number of bytes in a message: the shared state accepts 64 KiB. */
const MAX_BYTES = 60_000;

/** Sends messages to every worker of the service, this one included. */
export interface WorkerHub {
  /** Sends a message, unless it is too large. Returns whether it was sent. */
  send(message: Message): boolean;
  close(): void;
}

/** Connects a worker to the others. @param onError called when a message was not sent */
export const connectWorkers = (
  values: SharedValues,
  receive: (message: Message) => void,
  onError: (error: unknown) => void,
): WorkerHub => {
  const unsubscribe = values.subscribe(CHANNEL, (message) => receive(message as unknown as Message)); // all workers run the same program
  return {
    send(message) {
      const text = JSON.stringify(message);
      if (Buffer.byteLength(text) > MAX_BYTES) return false;
      values.publish(CHANNEL, JSON.parse(text) as Json, { waitMs: 1 }).catch(onError);
      return true;
    },
    close: unsubscribe,
  };
};
