import type { Logger } from "@framework/core";
import type { OutgoingMessage, Producer, SendOptions, SendResult } from "@framework/messaging/adapter";
import type { KafkaConfig } from "../kafka-config.ts";
import { DriverProducer } from "./driver-producer.ts";
import { topicProblem } from "../topology/topic-problem.ts";
import { TopicLane, type UnconfirmedMessage } from "./topic-lane.ts";

/** Maximum unconfirmed bytes of a producer. */
const MAX_WAITING_BYTES = 67_108_864;

/** Overhead in bytes of a message, and of each header. */
const OVERHEAD = 32;

/** Sends messages: idempotent, confirmed by all in-sync replicas, in order within each topic. */
export class KafkaProducer implements Producer {
  private readonly driver: DriverProducer;
  private readonly maxBatchBytes: number;
  private readonly lanes = new Map<string, TopicLane>();
  private waitingBytes = 0;

  constructor(config: KafkaConfig, log: Logger) {
    this.driver = new DriverProducer(config, log);
    this.maxBatchBytes = config.maxBatchBytes - 1024; // fields of the batch
  }

  async send(messages: readonly OutgoingMessage[], { signal }: SendOptions): Promise<readonly SendResult[]> {
    const call = {};
    const isAlone = this.waitingBytes === 0;
    const byTopic = new Map<string, UnconfirmedMessage[]>();
    const results = messages.map((message) => {
      const { promise, resolve } = Promise.withResolvers<SendResult>();
      const bytes = sizeOf(message);
      this.waitingBytes += bytes;
      const settle = (result: SendResult): void => {
        this.waitingBytes -= bytes;
        resolve(result);
      };
      const waiting = { message, bytes, call, signal, settle };
      const known = byTopic.get(message.topic);
      if (known === undefined) byTopic.set(message.topic, [waiting]);
      else known.push(waiting);
      return promise;
    });
    for (const [topic, waiting] of byTopic) {
      const problem = topicProblem(topic);
      if (problem === null) this.add(topic, waiting, isAlone);
      else
        for (const { settle } of waiting)
          settle({ ok: false, error: new Error(problem), isRetryable: false });
    }
    return await Promise.all(results);
  }

  async close(): Promise<void> {
    await this.driver.close();
  }

  /** @param isAlone whether no other call waits: a call above the limit could never be sent otherwise */
  private add(topic: string, waiting: readonly UnconfirmedMessage[], isAlone: boolean): void {
    if (isAlone || this.waitingBytes <= MAX_WAITING_BYTES || waiting.length === 0)
      return this.laneOf(topic).add(waiting);
    const error = new Error(`more than ${MAX_WAITING_BYTES} bytes wait for their confirmation`);
    for (const { settle } of waiting) settle({ ok: false, error, isRetryable: true });
  }

  private laneOf(topic: string): TopicLane {
    const known = this.lanes.get(topic);
    if (known !== undefined) return known;
    const lane = new TopicLane({
      topic,
      maxBatchBytes: this.maxBatchBytes,
      send: (to, batch) => this.driver.send(to, batch),
      onAbandoned: () => this.driver.replace(),
      onIdle: () => void this.lanes.delete(topic),
    });
    this.lanes.set(topic, lane);
    return lane;
  }
}

const sizeOf = ({ key, headers, body }: OutgoingMessage): number => {
  let bytes = OVERHEAD + Buffer.byteLength(body) + (key === null ? 0 : Buffer.byteLength(key));
  for (const name in headers)
    bytes += OVERHEAD + Buffer.byteLength(name) + Buffer.byteLength(headers[name] ?? "");
  return bytes;
};
