export { rabbitmq, type RabbitMQMethods } from "./rabbitmq.ts";
export { rabbitmqBroker } from "./rabbitmq-broker.ts";
export { RabbitMQConfig } from "./rabbitmq-config.ts";
export { rabbitmqErrors } from "./error-codes.ts";
