import type { Message } from "@aws-sdk/client-sqs";
import type { Delivery, WireHeaders } from "@framework/messaging/adapter";
import { read } from "../message/stored-message.ts";
import type { Queue } from "../queues/known-queues.ts";

/** A delivery with its receipt handle. */
export class SqsDelivery implements Delivery {
  readonly topic: string;
  readonly queue: Queue;
  /** `MessageId` of the message, or of the original if the message is a copy. */
  readonly id: string;
  readonly receipt: string;
  /** Queue and message group, whose order must be kept; `null` for a standard queue. */
  readonly lane: string | null;
  /** End of the visibility timeout on the monotonic clock. */
  hiddenUntil: number;
  /** Whether its visibility timeout is being extended. */
  isExtending = false;
  readonly partition = null;
  readonly offset = null;
  readonly key: string | null;
  readonly headers: WireHeaders;
  readonly body: string | Uint8Array;
  readonly tries: number;
  /** Unknown, because the receive count of SQS includes releases; tries are stored in the message. */
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
