// A broker whose consumer the test plays: it hands deliveries over, takes them away, and sees what is sent and settled.
import { newHeaders } from "../envelope/event.ts";
import { memoryBroker } from "../memory/memory-broker.ts";
import type { BrokerAdapter, Consumer } from "../port/broker-adapter.ts";
import type { Capabilities } from "../port/capabilities.ts";
import type { Delivery, OutgoingMessage, Settlement } from "../port/delivery.ts";
import type { Sink } from "../port/sink.ts";

/** Capabilities of a log, as Kafka has them. */
export const logCapabilities: Partial<Capabilities> = {
  settlement: "cumulative",
  maxDelayMs: 0,
  maxRetryDelayMs: 0,
  retryKeepsOrder: false,
  retryTopics: true,
};

/** A broker, and what the test sees of it. */
export interface HandedBroker {
  readonly adapter: BrokerAdapter;
  /** The end of the latest consumer in messaging. */
  readonly sink: () => Sink;
  readonly sent: readonly OutgoingMessage[];
  readonly settled: readonly Settlement[];
}

/** What differs from a broker in memory, whose consumer settles everything and whose sends succeed. */
export interface HandedOptions {
  readonly capabilities?: Partial<Capabilities>;
  readonly consumer?: Partial<Consumer>;
  /** Called before each send; it fails when this rejects. */
  readonly sending?: (messages: readonly OutgoingMessage[]) => Promise<void>;
  /** Whether the broker refuses a message for good. @default none */
  readonly refuses?: (message: OutgoingMessage) => boolean;
}

export const handedBroker = ({
  capabilities = {},
  consumer = {},
  sending = async () => {},
  refuses = () => false,
}: HandedOptions = {}): HandedBroker => {
  const inner = memoryBroker();
  const [sent, settled]: [OutgoingMessage[], Settlement[]] = [[], []];
  let latest: Sink | null = null;
  const open: BrokerAdapter["open"] = (context) => ({
    ...inner.open(context),
    producer: {
      async send(messages) {
        try {
          await sending(messages);
        } catch (error) {
          return messages.map(() => ({ ok: false, error: error as Error, isRetryable: true }));
        }
        sent.push(...messages.filter((message) => !refuses(message)));
        const refused = { ok: false, error: new Error("it is too large"), isRetryable: false } as const;
        return messages.map((message) => (refuses(message) ? refused : { ok: true }));
      },
    },
    consumer: ({ sink }) => {
      latest = sink;
      return {
        start: () => sink.state("running"),
        pause() {},
        resume() {},
        stop: async () => {},
        async settle(settlements) {
          settled.push(...settlements);
          return [];
        },
        lag: async () => 0,
        overdue: async () => 0,
        close: async () => {},
        ...consumer,
      };
    },
  });
  const sink = (): Sink => {
    if (latest === null) throw new Error("no consumer was made");
    return latest;
  };
  return {
    adapter: { ...inner, capabilities: { ...inner.capabilities, ...capabilities }, open },
    sink,
    sent,
    settled,
  };
};

/** A delivery of an event of the type `t` whose data is its id. */
export const handed = (id: string, { headers, ...members }: Partial<Delivery> = {}): Delivery => ({
  topic: "books",
  partition: null,
  offset: null,
  key: null,
  headers: Object.assign(newHeaders(), { "content-type": "application/cloudevents+json" }, headers),
  body: JSON.stringify({ specversion: "1.0", id, type: "t", source: "/test", data: id }),
  tries: null,
  deliveries: null,
  isRedelivered: false,
  sentAt: null,
  ...members,
});
