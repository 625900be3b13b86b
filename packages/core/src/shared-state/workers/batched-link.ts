import { isStateMessage, type PrimaryLink } from "./primary-link.ts";

interface Batch {
  readonly "@framework": "shared-state";
  readonly type: "batch";
  readonly messages: readonly object[];
}

/**
 * A channel that sends the messages of one turn of the event loop as one message: a write to another process costs more than the calls in it. Either both ends
 * of a channel are batched, or neither.
 *
 * The order of messages is preserved. The limits on pending calls and unacknowledged messages bound a batch. When the channel closes, unsent messages are lost,
 * like messages in transit; then `onClose` listeners are called.
 *
 * @param later runs a task at the end of the turn of the event loop
 */
export const batchedLink = (
  link: PrimaryLink,
  later: (task: () => void) => void = setImmediate,
): PrimaryLink => {
  let queue: object[] = [];
  const flush = (): void => {
    const messages = queue;
    queue = [];
    const [first, second] = messages;
    try {
      if (first !== undefined) link.send(second === undefined ? first : batchOf(messages));
    } catch {
      // The channel is closed.
    }
  };
  return {
    send(message) {
      if (queue.push(message) === 1) later(flush);
    },
    onMessage: (listener) =>
      link.onMessage((message) => {
        if (isBatch(message)) for (const each of message.messages) listener(each);
        else listener(message);
      }),
    onClose: (listener) => link.onClose(listener),
  };
};

const batchOf = (messages: readonly object[]): Batch => ({
  "@framework": "shared-state",
  type: "batch",
  messages,
});

const isBatch = (message: unknown): message is Batch =>
  isStateMessage(message) && (message as Partial<Batch>).type === "batch";
