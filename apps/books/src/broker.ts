import { kafkaBroker } from "@framework/kafka";
import type { BrokerAdapter, MessagingConfig } from "@framework/messaging";
import { rabbitmqBroker } from "@framework/rabbitmq";
import { sqsBroker } from "@framework/sqs";
import type { BooksSettings } from "./settings.ts";

/** Settings of the message broker; at most one broker is configured. */
type BrokerSettings = Pick<BooksSettings, "kafkaBrokers" | "amqpUrl" | "sqsRegion" | "sqsEndpoint">;

/** Configuration of messaging: Kafka, RabbitMQ or SQS through the outbox; without a broker, messages stay in the database of the books. */
export const brokerConfig = (settings: BrokerSettings): Partial<MessagingConfig> => {
  const broker = brokerOf(settings);
  return broker === null ? {} : { broker, outbox: true };
};

const brokerOf = ({
  kafkaBrokers,
  amqpUrl,
  sqsRegion,
  sqsEndpoint,
}: BrokerSettings): BrokerAdapter | null => {
  if (kafkaBrokers !== undefined) return kafkaBroker({ brokers: kafkaBrokers });
  if (amqpUrl !== undefined) return rabbitmqBroker({ url: amqpUrl });
  if (sqsRegion === undefined) return null;
  return sqsBroker({ region: sqsRegion, ...(sqsEndpoint !== undefined && { endpointUrl: sqsEndpoint }) });
};
