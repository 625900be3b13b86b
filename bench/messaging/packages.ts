/** The measured packages, loaded from their sources. */
// oxlint-disable no-restricted-imports -- the bench depends on core only, so that a comparison installs nothing else
export { database } from "../../packages/database/src/index.ts";
export { durable } from "../../packages/durable/src/index.ts";
export { kafkaBroker } from "../../packages/kafka/src/index.ts";
export { memoryBroker, messaging } from "../../packages/messaging/src/index.ts";
export { rabbitmqBroker } from "../../packages/rabbitmq/src/index.ts";
export { startKafka } from "../../tools/services/src/kafka.ts";
export { startPostgres } from "../../tools/services/src/postgres.ts";
export { startRabbitMq } from "../../tools/services/src/rabbitmq.ts";
