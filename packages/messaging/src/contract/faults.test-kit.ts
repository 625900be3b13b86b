// Adds faults to a working broker, to test that the contract detects them.
import type { Broker, Consumer, ConsumerOptions } from "../port/broker-adapter.ts";
import type { OutgoingMessage } from "../port/delivery.ts";
import type { Sink } from "../port/sink.ts";

/** Returns replaced members of a broker. */
export type Fault = (broker: Broker) => Partial<Broker>;

/** Changes or drops sent messages. */
export const changeSends =
  (change: (message: OutgoingMessage) => OutgoingMessage | null): Fault =>
  ({ producer }) => ({
    producer: {
      async send(messages, options) {
        const changed = messages.map(change);
        await producer.send(
          changed.flatMap((message) => message ?? []),
          options,
        );
        return messages.map(() => ({ ok: true }));
      },
    },
  });

/** Replaces members of consumers. */
export const changeConsumers =
  (change: (consumer: Consumer, options: ConsumerOptions) => Partial<Consumer>): Fault =>
  (broker) => ({
    consumer(options) {
      const consumer = broker.consumer(options);
      const own: Consumer = {
        start: () => consumer.start(),
        pause: () => consumer.pause(),
        resume: () => consumer.resume(),
        stop: () => consumer.stop(),
        settle: (settlements) => consumer.settle(settlements),
        lag: () => consumer.lag(),
        overdue: () => consumer.overdue(),
        close: () => consumer.close(),
      };
      return Object.assign(own, change(consumer, options));
    },
  });

/** Replaces members of the sink that consumers call. */
export const changeSinks =
  (change: (sink: Sink) => Partial<Sink>): Fault =>
  (broker) => ({
    consumer({ sink, ...options }) {
      const own = Object.create(sink) as Sink;
      for (const name of [
        "room",
        "whenRoom",
        "deliver",
        "lost",
        "revoked",
        "isAlive",
        "isPartitionAlive",
        "suspend",
        "proceed",
        "state",
      ] as const)
        Object.assign(own, { [name]: sink[name].bind(sink) });
      return broker.consumer({ ...options, sink: Object.assign(own, change(sink)) });
    },
  });
