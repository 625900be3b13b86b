import type { Channel, ChannelModel, ConsumeMessage } from "amqplib";
import { reasonOf } from "../connection/server-error.ts";

/** Dependencies of `Session`. */
export interface SessionParts {
  /** Topics with the queues of the group. */
  readonly queues: readonly { readonly topic: string; readonly queue: string }[];
  /** Maximum unsettled deliveries of each queue. */
  readonly prefetch: number;
  readonly onMessage: (message: ConsumeMessage, channel: Channel, topic: string) => void;
}

/** The channels of a consumer, until the first of them is closed. Deliveries of an earlier session cannot be settled. */
export class Session {
  /** Resolves with the reason when a channel or the connection is closed, or the server has cancelled a consumer. */
  readonly ended: Promise<string>;
  private readonly parts: SessionParts;
  private readonly end: (reason: string) => void;
  private readonly open = new Set<Channel>();
  private readonly tags: (readonly [Channel, string])[] = [];

  constructor(parts: SessionParts) {
    this.parts = parts;
    const { promise, resolve } = Promise.withResolvers<string>();
    this.ended = promise;
    this.end = resolve;
  }

  /** Opens all channels, then consumes. Rejects if the server refuses. */
  async start(model: ChannelModel): Promise<void> {
    const channels: { readonly channel: Channel; readonly topic: string; readonly queue: string }[] = [];
    for (const queue of this.parts.queues) channels.push({ ...queue, channel: await this.channel(model) });
    for (const { channel, topic, queue } of channels) {
      const { consumerTag } = await channel.consume(queue, (message) => {
        if (message === null)
          this.end(`the server cancelled the consumer of queue ${queue}; was it deleted?`);
        else this.parts.onMessage(message, channel, topic);
      });
      this.tags.push([channel, consumerTag]);
    }
  }

  /** Cancels the consumers; deliveries can still be settled. */
  async cancel(): Promise<void> {
    await Promise.all(this.tags.map(async ([channel, tag]) => await channel.cancel(tag).catch(() => {}))); // fails if the channel is already closed
  }

  /** Closes the channels: the server redelivers unsettled messages in order. */
  async close(): Promise<void> {
    const channels = Array.from(this.open);
    this.open.clear();
    await Promise.all(channels.map(async (channel) => await channel.close().catch(() => {}))); // fails if the channel is already closed
    this.end("it was closed");
  }

  private async channel(model: ChannelModel): Promise<Channel> {
    const channel = await model.createChannel();
    let reason = "the connection was lost";
    channel.on("error", (error: Error) => (reason = reasonOf(error)));
    channel.on("close", () => {
      this.open.delete(channel);
      this.end(reason);
    });
    this.open.add(channel);
    await channel.prefetch(this.parts.prefetch);
    return channel;
  }
}
