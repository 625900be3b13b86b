/** The measured packages, loaded from their sources, and kafkajs. */
// oxlint-disable no-restricted-imports -- the bench depends on core only, so that a comparison installs nothing else
import { createRequire } from "node:module";

export { kafkaBroker } from "../../packages/kafka/src/index.ts";
export { messaging } from "../../packages/messaging/src/index.ts";
export { startKafka } from "../../tools/services/src/kafka.ts";

/** A message from kafkajs. */
export interface BareMessage {
  readonly key: Buffer | null;
  readonly value: Buffer;
  readonly offset: string;
}

/** The used part of a kafkajs consumer. */
export interface BareConsumer {
  connect(): Promise<void>;
  subscribe(options: { readonly topic: string; readonly fromBeginning: boolean }): Promise<void>;
  run(options: {
    readonly partitionsConsumedConcurrently: number;
    readonly eachBatch: (payload: {
      readonly batch: { readonly messages: readonly BareMessage[] };
      readonly resolveOffset: (offset: string) => void;
    }) => Promise<void>;
  }): Promise<void>;
  disconnect(): Promise<void>;
}

interface Kafkajs {
  readonly Kafka: new (options: { readonly brokers: readonly string[]; readonly logLevel: number }) => {
    consumer(options: { readonly groupId: string; readonly maxWaitTimeInMs: number }): BareConsumer;
  };
}

/** kafkajs in the version of `@framework/kafka`. */
export const loadKafkajs = (): Kafkajs =>
  createRequire(new URL("../../packages/kafka/package.json", import.meta.url))("kafkajs") as Kafkajs;
