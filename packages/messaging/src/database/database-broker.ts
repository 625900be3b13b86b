import type { Logger } from "@framework/core";
import type { Kernel } from "@framework/durable/feature";
import { MAX_DELAY_MS } from "../limits.ts";
import type { Broker, BrokerAdapter, BrokerContext, Topology } from "../port/broker-adapter.ts";
import type { Capabilities } from "../port/capabilities.ts";
import { DatabaseConsumer } from "./database-consumer.ts";
import { DatabaseProducer } from "./database-producer.ts";
import { GroupQueue } from "./group-queue.ts";
import { Groups, queueOf } from "./groups.ts";
import { TOPIC_TABLES, topicTables } from "./topic-tables.ts";

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
  isInProcess: false,
};

/** Returns the broker on the app's database: each group of a topic has a work queue of the kernel. Call it in `enableX`: it adds tables. */
export const databaseBroker = (kernel: Kernel): BrokerAdapter => {
  kernel.use("messaging").tables(TOPIC_TABLES, topicTables).work.useTable();
  const queues = new Map<string, GroupQueue>();
  const queue = (topic: string, group: string): GroupQueue => {
    const name = queueOf(topic, group);
    const known = queues.get(name);
    if (known !== undefined) return known;
    const opened = new GroupQueue(kernel, topic, name);
    queues.set(name, opened);
    return opened;
  };
  return { name: "database", capabilities, open: (context) => openBroker(kernel, queue, context) };
};

/**
 * Warns of groups that this app does not subscribe to and whose messages have waited for more than a day. They are not removed automatically: another program may
 * subscribe to them.
 */
const warnOfUnread = async (groups: Groups, { subscriptions }: Topology, log: Logger): Promise<void> => {
  for (const { topic, name } of await groups.unread()) {
    if (subscriptions.some(({ topics, group }) => group === name && topics.includes(topic))) continue;
    const text = `messaging: messages of the topic "${topic}" have waited for the group "${name}" for more than a day; if no program subscribes to the group any more, end it with app.messaging.endGroup`;
    log.warn(text, { topic, group: name });
  }
};

const openBroker = (
  kernel: Kernel,
  queue: (topic: string, group: string) => GroupQueue,
  context: BrokerContext,
): Broker => {
  const groups = new Groups(kernel);
  const register = ({ subscriptions }: Topology): Promise<void> =>
    groups.register(
      subscriptions.flatMap(({ topics, group: name, order: ordering }) =>
        topics.map((topic) => ({ topic, name, ordering, isPrivate: false })),
      ),
    );
  return {
    producer: new DatabaseProducer(kernel, groups),
    consumer: (options) => new DatabaseConsumer({ kernel, groups, context, queueOf: queue }, options),
    register,
    async topology(spec) {
      await register(spec);
      await warnOfUnread(groups, spec, context.log);
      return [];
    },
    endGroup: (topic, group) => groups.remove(topic, group),
    async health(signal) {
      await kernel.db.until(signal).fetchValue("SELECT 1");
      return { dialect: kernel.db.dialect };
    },
    close: async () => {},
  };
};
