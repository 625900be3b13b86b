// A fake broker: the test delivers and revokes messages through its sink, and inspects the sent messages and the settlements.
import { newHeaders } from "../envelope/event.ts";
import { memoryBroker } from "../memory/memory-broker.ts";
import type { BrokerAdapter, Consumer } from "../port/broker-adapter.ts";
import type { Capabilities } from "../port/capabilities.ts";
import type { Delivery, OutgoingMessage, Settlement } from "../port/delivery.ts";
import type { Sink } from "../port/sink.ts";

/** Capabilities of a log such as Kafka. */
export const logCapabilities: Partial<Capabilities> = {
  settlement: "cumulative",
  maxDelayMs: 0,
  maxRetryDelayMs: 0,
  retryKeepsOrder: false,
  retryTopics: true,
};

/** A fake broker with its recorded sends and settlements. */
export interface FakeBroker {
  readonly adapter: BrokerAdapter;
  /** Returns the sink of the latest consumer. */
  readonly sink: () => Sink;
  readonly sent: readonly OutgoingMessage[];
  readonly settled: readonly Settlement[];
}

/** Options of `fakeBroker`. By default its consumer settles everything and all sends succeed. */
export interface FakeBrokerOptions {
  readonly capabilities?: Partial<Capabilities>;
  readonly consumer?: Partial<Consumer>;
  /** Called before each send, which fails if this rejects. */
  readonly beforeSend?: (messages: readonly OutgoingMessage[]) => Promise<void>;
  /** Whether the broker refuses a message permanently. @default never */
  readonly refuses?: (message: OutgoingMessage) => boolean;
}

export const fakeBroker = ({
  capabilities = {},
  consumer = {},
  beforeSend = async () => {},
  refuses = () => false,
}: FakeBrokerOptions = {}): FakeBroker => {
  const inner = memoryBroker();
  const [sent, settled]: [OutgoingMessage[], Settlement[]] = [[], []];
  let latest: Sink | null = null;
  const open: BrokerAdapter["open"] = (context) => ({
    ...inner.open(context),
    producer: {
      async send(messages) {
        try {
          await beforeSend(messages);
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
    if (latest === null) throw new Error("there is no consumer");
    return latest;
  };
  return {
    adapter: { ...inner, capabilities: { ...inner.capabilities, ...capabilities }, open },
    sink,
    sent,
    settled,
  };
};

/** Creates a delivery of an event of the type `t` whose data is its id. */
export const fakeDelivery = (id: string, { headers, ...members }: Partial<Delivery> = {}): Delivery => ({
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
