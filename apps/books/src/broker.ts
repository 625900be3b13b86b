import { kafkaBroker } from "@framework/kafka";
import type { MessagingConfig } from "@framework/messaging";
import { rabbitmqBroker } from "@framework/rabbitmq";
import type { BooksSettings } from "./settings.ts";

/** The configuration of messaging: on Kafka or RabbitMQ through the outbox, or without either on the database of the books. */
export const brokerConfig = ({
  kafkaBrokers,
  amqpUrl,
}: Pick<BooksSettings, "kafkaBrokers" | "amqpUrl">): Partial<MessagingConfig> => {
  if (kafkaBrokers !== null) return { broker: kafkaBroker({ brokers: kafkaBrokers }), outbox: true };
  if (amqpUrl !== null) return { broker: rabbitmqBroker({ url: amqpUrl }), outbox: true };
  return {};
};
