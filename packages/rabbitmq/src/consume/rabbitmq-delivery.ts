import type { Delivery, WireHeaders } from "@framework/messaging/adapter";
import type { Channel, ConsumeMessage } from "amqplib";
import { OriginalProperties } from "../send/original-properties.ts";
import { fromWire } from "../send/wire-headers.ts";

/** A delivery with the channel on which it can be acknowledged. */
export class RabbitMQDelivery implements Delivery {
  readonly message: ConsumeMessage;
  readonly channel: Channel;
  readonly topic: string;
  readonly id?: string;
  /** Time of arrival on the monotonic clock. */
  readonly arrivedAt: number;
  readonly partition = null;
  readonly offset = null;
  readonly key: string | null;
  readonly headers: WireHeaders;
  readonly original: OriginalProperties;
  readonly tries: number;
  /** Unknown: the meaning of the server's count depends on its version, and copies restart it. */
  readonly deliveries = null;

  constructor(
    message: ConsumeMessage,
    channel: Channel,
    from: { readonly topic: string; readonly now: number },
  ) {
    const { headers, contentType, messageId } = message.properties;
    const found = fromWire(headers ?? {}, typeof contentType === "string" ? contentType : undefined);
    this.message = message;
    this.channel = channel;
    this.topic = from.topic;
    if (typeof messageId === "string" && messageId !== "") this.id = messageId;
    this.arrivedAt = from.now;
    this.key = found.key ?? keyInBody(found.headers["content-type"], message.content);
    this.headers = found.headers;
    this.original = new OriginalProperties(message.properties, found.headers);
    this.tries = found.tries;
  }

  get body(): Uint8Array {
    return this.message.content;
  }

  get isRedelivered(): boolean {
    return this.message.fields.redelivered || this.tries > 0;
  }

  get sentAt(): number | null {
    const { timestamp } = this.message.properties;
    return typeof timestamp === "number" ? timestamp * 1000 : null;
  }
}

/** Returns the key of a structured event, which another system has sent; `null` for none. */
const keyInBody = (type: string | undefined, body: Buffer): string | null => {
  if (type === undefined || !/^application\/cloudevents\+json\s*(?:;|$)/i.test(type)) return null;
  try {
    const { partitionkey } = JSON.parse(body.toString()) as { readonly partitionkey?: unknown };
    return typeof partitionkey === "string" ? partitionkey : null;
  } catch {
    return null; // messaging reports it
  }
};
