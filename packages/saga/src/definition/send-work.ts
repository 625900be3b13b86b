import { FrameworkError } from "@framework/core";
import type { Transaction } from "@framework/database";
import type { Work } from "./step.ts";
import type { StepContext } from "./context.ts";
import type { MessageToSend } from "./step-options.ts";

/** Sends messages: `app.messaging`. */
export interface MessageSender {
  /** Sends a message if and when a transaction commits. */
  send(
    topic: string,
    message: {
      readonly type: string;
      readonly data?: unknown;
      readonly key?: string | undefined;
      readonly id?: string | undefined;
    },
    options: { readonly tx: Transaction },
  ): Promise<unknown>;
}

/** Context of an attempt, with the message sender for `send` steps. */
export interface SendingContext extends StepContext {
  /** The app's message sender; `null` if there is none. */
  readonly sender: MessageSender | null;
}

const sendWorks = new WeakSet<Work["run"]>();

/** Whether the work is that of a `send` step. */
export const isSending = ({ run }: Work): boolean => sendWorks.has(run);

/** Returns the work of a `send` step. Ids of its messages are the same in every attempt. */
export const sendWork = (
  messages: (
    context: StepContext,
  ) => MessageToSend | readonly MessageToSend[] | Promise<MessageToSend | readonly MessageToSend[]>,
): Work["run"] => {
  const run = async (context: SendingContext, tx: Transaction): Promise<void> => {
    const { sender, idempotencyKey, key } = context;
    if (sender === null)
      throw new FrameworkError(
        "SAGA_NO_MESSAGING",
        "saga: a send step needs the feature messaging in this process",
      );
    const outgoing = await messages(context);
    const list = "topic" in outgoing ? [outgoing] : outgoing;
    for (const [at, { topic, ...message }] of list.entries()) {
      const own = { ...message, key: message.key ?? key, id: `${idempotencyKey}:${at}` };
      await sender.send(topic, own, { tx });
    }
  };
  sendWorks.add(run as Work["run"]);
  return run as Work["run"];
};
