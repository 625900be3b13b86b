import type { ConfirmChannel, Message } from "amqplib";
import type { DelayedTo } from "../topology/delay-queues.ts";

/** A message without its confirmation. */
export interface Pending {
  /** Its property `message-id`; empty for none. */
  readonly id: string;
  /** Where it was published. */
  readonly to: DelayedTo;
  /** Channel on which it was published. */
  readonly channel: ConfirmChannel;
  readonly resolve: () => void;
  readonly reject: (error: Error) => void;
  /** Confirmations of the channel when it was published. */
  readonly confirmedBefore: number;
  isReturned: boolean;
}

/** Messages that wait for their confirmation. The server says by its properties and target which one it returns. */
export class PendingMessages {
  private readonly byId = new Map<string, Pending[]>();

  /** Returns the messages that wait on a channel. */
  of(channel: ConfirmChannel): readonly Pending[] {
    return [...this.byId.values()].flat().filter((pending) => pending.channel === channel);
  }

  add(pending: Pending): void {
    const same = this.byId.get(pending.id);
    if (same === undefined) this.byId.set(pending.id, [pending]);
    else same.push(pending);
  }

  remove(pending: Pending): void {
    const same = this.byId.get(pending.id);
    if (same === undefined) return;
    if (same.length === 1) this.byId.delete(pending.id);
    else same.splice(same.indexOf(pending), 1);
  }

  /** Marks a message that no queue takes. One event may be on its way to several topics. */
  returned({ fields: { exchange, routingKey }, properties }: Message): void {
    const id: unknown = properties.messageId ?? "";
    for (const pending of this.byId.get(String(id)) ?? []) {
      const { to } = pending;
      if (pending.isReturned || to.exchange !== exchange || to.routingKey !== routingKey) continue;
      pending.isReturned = true;
      return;
    }
  }
}
