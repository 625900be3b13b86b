import type { ConfirmChannel, Message } from "amqplib";
import type { MessageTarget } from "../topology/delay-queues.ts";

/** An unconfirmed message. */
export interface PendingMessage {
  /** Its property `message-id`; empty for none. */
  readonly id: string;
  /** Target of the message. */
  readonly to: MessageTarget;
  /** Channel on which it was published. */
  readonly channel: ConfirmChannel;
  readonly resolve: () => void;
  readonly reject: (error: Error) => void;
  /** Number of confirmations of the channel when it was published. */
  readonly confirmedBefore: number;
  isReturned: boolean;
}

/** Unconfirmed messages. A returned message is identified by its id and target. */
export class PendingMessages {
  private readonly byId = new Map<string, PendingMessage[]>();

  /** Returns the unconfirmed messages of a channel. */
  of(channel: ConfirmChannel): readonly PendingMessage[] {
    return [...this.byId.values()].flat().filter((pending) => pending.channel === channel);
  }

  add(pending: PendingMessage): void {
    const same = this.byId.get(pending.id);
    if (same === undefined) this.byId.set(pending.id, [pending]);
    else same.push(pending);
  }

  remove(pending: PendingMessage): void {
    const same = this.byId.get(pending.id);
    if (same === undefined) return;
    if (same.length === 1) this.byId.delete(pending.id);
    else same.splice(same.indexOf(pending), 1);
  }

  /** Marks a message that was returned as unroutable. One event may be sent to several topics at the same time. */
  markReturned({ fields: { exchange, routingKey }, properties }: Message): void {
    const id: unknown = properties.messageId ?? "";
    for (const pending of this.byId.get(String(id)) ?? []) {
      const { to } = pending;
      if (pending.isReturned || to.exchange !== exchange || to.routingKey !== routingKey) continue;
      pending.isReturned = true;
      return;
    }
  }
}
