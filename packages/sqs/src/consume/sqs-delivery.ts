import type { Message } from "@aws-sdk/client-sqs";
import type { Delivery, WireHeaders } from "@framework/messaging/adapter";
import { read } from "../message/stored-message.ts";
import type { Queue } from "../queues/known-queues.ts";

/** One delivery, with the receipt by which it is settled. */
export class SqsDelivery implements Delivery {
  readonly topic: string;
  readonly queue: Queue;
  /** Id that SQS gave the message, or the original of a copy. */
  readonly id: string;
  readonly receipt: string;
  /** Deliveries of one message group of a FIFO queue, in which none may overtake another; `null` for others. */
  readonly lane: string | null;
  /** Until when SQS gives the message to no other consumer, on the monotonic clock. */
  hiddenUntil: number;
  /** Whether its time is being extended. */
  isExtending = false;
  readonly partition = null;
  readonly offset = null;
  readonly key: string | null;
  readonly headers: WireHeaders;
  readonly body: string | Uint8Array;
  readonly tries: number;
  /** SQS counts releases too, which are no tries: the number of tries is in the message. */
  readonly deliveries = null;
  readonly isRedelivered: boolean;
  readonly sentAt: number | null;

  constructor(
    message: Message,
    {
      topic,
      queue,
      hiddenUntil,
    }: { readonly topic: string; readonly queue: Queue; readonly hiddenUntil: number },
  ) {
    const { ReceiptHandle = "", Attributes = {} } = message;
    const { key, headers, body, tries, id = "" } = read(message);
    this.topic = topic;
    this.queue = queue;
    this.id = id;
    this.receipt = ReceiptHandle;
    this.lane = queue.isFifo ? `${queue.name}\n${Attributes.MessageGroupId ?? ""}` : null;
    this.hiddenUntil = hiddenUntil;
    this.key = key;
    this.headers = headers;
    this.body = body;
    this.tries = tries;
    this.isRedelivered = tries > 0 || Number(Attributes.ApproximateReceiveCount ?? 1) > 1;
    this.sentAt = Attributes.SentTimestamp === undefined ? null : Number(Attributes.SentTimestamp);
  }
}
