export { kafka, type KafkaMethods, type KafkaMessagingConfig } from "./kafka.ts";
export { kafkaBroker } from "./kafka-broker.ts";
export {
  type KafkaCodec,
  type KafkaCodecs,
  type KafkaCompression,
  KafkaConfig,
  type KafkaSasl,
} from "./kafka-config.ts";
