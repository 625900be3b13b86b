import {
  checked,
  type Clock,
  type ConfigRecord,
  configRecord,
  integer,
  isClock,
  systemClock,
} from "@framework/core/feature";
import type { Broker, BrokerAdapter, Producer, SendResult } from "../port/broker-adapter.ts";
import type { Capabilities } from "../port/capabilities.ts";
import { MAX_DELAY_MS } from "../limits.ts";
import { MemoryConsumer } from "./memory-consumer.ts";
import { MemoryTopics } from "./memory-topics.ts";

/** Options of `memoryBroker`. */
export interface MemoryBrokerOptions {
  /** Clock for delays. @default the system clock */
  readonly clock?: Clock;
  /** Maximum unsettled messages of each group, and of each topic without one; a send above it fails with 503 and may be repeated. @default 1000000 */
  readonly maxMessages?: number;
}

/** Validates the options: with NaN, such as from an unset variable, the broker would have no bound. */
const optionRules: ConfigRecord<Required<MemoryBrokerOptions>> = configRecord("MemoryBrokerOptions", {
  clock: checked<Clock>(systemClock, "a Clock", isClock),
  maxMessages: integer(1_000_000, { min: 1 }),
});

const capabilities: Capabilities = {
  settlement: "each",
  orders: ["key", "partition"],
  groups: true,
  maxDelayMs: MAX_DELAY_MS,
  maxRetryDelayMs: MAX_DELAY_MS,
  retryKeepsOrder: true,
  retryTopics: false,
  maxBodyBytes: 16_777_216,
  maxHeaderBytes: 65_536,
  envelope: { mode: "structured" },
  patterns: false,
  privateTopics: true,
  replay: false,
  isInProcess: true,
};

/**
 * Creates an in-memory broker, for tests and programs of one process. Apps with the same object share its messages, which are lost when the process ends.
 *
 * @example
 * const app = new (App.with(messaging))().enableMessaging({ broker: memoryBroker() });
 * @throws CORE_BAD_CONFIG
 */
export const memoryBroker = (options: MemoryBrokerOptions = {}): BrokerAdapter => {
  const { clock, maxMessages } = optionRules.of(options);
  const topics = new MemoryTopics(clock, maxMessages);
  return { name: "memory", capabilities, open: () => openBroker(topics) };
};

const openBroker = (topics: MemoryTopics): Broker => ({
  producer: producerOf(topics),
  consumer: (options) => new MemoryConsumer(topics, options),
  topology: async () => [],
  health: async () => ({ topics: topics.names().length }),
  close: async () => {},
});

const stored: SendResult = Object.freeze({ ok: true });
const full: SendResult = Object.freeze({
  ok: false,
  error: new Error("the in-memory broker has reached maxMessages"),
  isRetryable: true,
});

const producerOf = (topics: MemoryTopics): Producer => ({
  async send(messages) {
    return messages.map((message) => (topics.send(message) ? stored : full));
  },
});
