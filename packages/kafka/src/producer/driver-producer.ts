import type { Logger } from "@framework/core";
import type { Producer, RecordMetadata } from "kafkajs";
import { type Client, createClient, retry } from "../client/create-client.ts";
import { compressionTypes } from "../client/codecs.ts";
import type { KafkaConfig } from "../kafka-config.ts";
import type { Batch } from "./batch.ts";
import { createPartitioner } from "./partitioner.ts";
import { untilLeader } from "./until-leader.ts";

/** A producer of kafkajs with its connections. */
interface OpenProducer {
  readonly producer: Producer;
  readonly client: Client;
  readonly connected: Promise<void>;
  sendsInFlight: number;
  isRetired: boolean;
}

/**
 * The idempotent producer of kafkajs. Replaced after every failure: kafkajs would reuse the sequence numbers of an unconfirmed batch for the next one, which the
 * server would then drop as a duplicate, and confirm.
 */
export class DriverProducer {
  private readonly config: KafkaConfig;
  private readonly log: Logger;
  private readonly all = new Set<OpenProducer>();
  private current: OpenProducer | null = null;
  private isClosed = false;

  constructor(config: KafkaConfig, log: Logger) {
    this.config = config;
    this.log = log;
  }

  /** Sends a batch and returns the first offset of each partition. @throws the error of kafkajs */
  async send(topic: string, batch: Batch): Promise<readonly RecordMetadata[]> {
    if (this.isClosed) throw new Error("the producer was closed");
    const opened = (this.current ??= this.open());
    opened.sendsInFlight++;
    try {
      await opened.connected;
      return await untilLeader(batch, () =>
        opened.producer.send({
          topic,
          messages: [...batch.records],
          acks: -1,
          timeout: this.config.requestTimeoutMs,
          compression: compressionTypes[this.config.compression],
        }),
      );
    } catch (error) {
      this.retire(opened);
      throw error;
    } finally {
      opened.sendsInFlight--;
      this.closeIfIdle(opened);
    }
  }

  /** Replaces the producer after a missing confirmation. */
  replace(): void {
    if (this.current !== null) this.retire(this.current);
  }

  async close(): Promise<void> {
    this.isClosed = true;
    await Promise.all(Array.from(this.all, (opened) => close(opened)));
    this.all.clear();
  }

  private open(): OpenProducer {
    const client = createClient(this.config, this.log);
    const producer = client.kafka.producer({
      createPartitioner,
      allowAutoTopicCreation: false,
      idempotent: true,
      maxInFlightRequests: 5,
      retry,
      metadataMaxAge: this.config.metadataMs,
    });
    const connected = producer.connect();
    connected.catch(() => {}); // reported to each send
    const opened = { producer, client, connected, sendsInFlight: 0, isRetired: false };
    this.all.add(opened);
    return opened;
  }

  private retire(opened: OpenProducer): void {
    opened.isRetired = true;
    if (this.current === opened) this.current = null;
    this.closeIfIdle(opened);
  }

  private closeIfIdle(opened: OpenProducer): void {
    if (!opened.isRetired || opened.sendsInFlight > 0) return;
    this.all.delete(opened);
    void close(opened);
  }
}

const close = async ({ producer, client }: OpenProducer): Promise<void> => {
  client.sockets.close();
  await producer.disconnect().catch(() => {}); // may fail, because its connections are already closed
};
