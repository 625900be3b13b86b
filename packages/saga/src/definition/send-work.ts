import { FrameworkError } from "@framework/core";
import type { Transaction } from "@framework/database";
import type { Work } from "./step.ts";
import type { StepContext } from "./context.ts";
import type { Outgoing } from "./step-options.ts";

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
  /** `null` in an app without messaging. */
  readonly sender: MessageSender | null;
}

const works = new WeakSet<Work["run"]>();

/** Whether the work of a step sends messages. */
export const isSending = ({ run }: Work): boolean => works.has(run);

/** Returns the work of a `send` step. Ids of its messages are the same in every attempt. */
export const sendWork = (
  messages: (
    context: StepContext,
  ) => Outgoing | readonly Outgoing[] | Promise<Outgoing | readonly Outgoing[]>,
): Work["run"] => {
  const run = async (context: SendingContext, tx: Transaction): Promise<void> => {
    const { sender, idempotencyKey, key } = context;
    if (sender === null)
      throw new FrameworkError(
        "SAGA_NO_MESSAGING",
        "saga: a send step needs the feature messaging in this process",
      );
    const made = await messages(context);
    const list = "topic" in made ? [made] : made;
    for (const [at, { topic, ...message }] of list.entries())
      await sender.send(topic, { key, ...message, id: `${idempotencyKey}:${at}` }, { tx });
  };
  works.add(run as Work["run"]);
  return run as Work["run"];
};
