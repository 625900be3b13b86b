import { randomUUID } from "node:crypto";
import { App } from "@framework/core";
import { type Clock, systemClock, type ConfigInput } from "@framework/core/feature";
import { type Message, messaging, type MessagingMethods } from "@framework/messaging";
import type {
  Broker,
  Consumer,
  ConsumerOptions,
  Delivery,
  OutgoingMessage,
  SharedConfig,
  SendResult,
  Sink,
  Topology,
} from "@framework/messaging/adapter";
import { waitFor } from "@framework/testing";
import { type Channel, connect } from "amqplib";
import { rabbitmq, type RabbitMQConfig, rabbitmqBroker, type RabbitMQMethods } from "./index.ts";

/** Returns a unique name. */
export const newName = (): string => `t${randomUUID().slice(0, 8)}`;

/** Records warnings and errors as JSON. */
export class Lines {
  readonly all: string[] = [];
  readonly info = (): void => {};
  readonly warn: (...line: unknown[]) => void = (...line: unknown[]): void =>
    void this.all.push(JSON.stringify(line));
  readonly error: (...line: unknown[]) => void = this.warn;
}

/** A sink that records deliveries. */
export class RecordingSink implements Sink {
  readonly deliveries: Delivery[] = [];
  readonly lostDeliveries: Delivery[] = [];
  readonly states: string[] = [];
  readonly room = (): number => 1000;
  readonly whenRoom = async (): Promise<void> => {};
  readonly revoked = (): void => {};
  readonly suspend = (): void => {};
  readonly proceed = (): void => {};
  readonly isAlive = (): boolean => true;
  readonly isPartitionAlive = (): boolean => true;

  get bodies(): readonly string[] {
    return this.deliveries.map(({ body }) => Buffer.from(body as Uint8Array).toString());
  }

  deliver(deliveries: readonly Delivery[]): void {
    this.deliveries.push(...deliveries);
  }

  lost(deliveries: readonly Delivery[]): void {
    this.lostDeliveries.push(...deliveries);
  }

  state(state: string, reason = ""): void {
    this.states.push(`${state} ${reason}`.trimEnd());
  }
}

/** A broker opened from the adapter, without the rest of messaging. Represents one process. */
export class TestProcess implements AsyncDisposable {
  readonly broker: Broker;
  readonly lines: Lines = new Lines();
  readonly topic: string;
  private readonly consumers: Consumer[] = [];

  constructor(
    config: ConfigInput<RabbitMQConfig>,
    topic: string = newName(),
    clock: Clock = systemClock,
    random: () => number = Math.random,
  ) {
    this.topic = topic;
    this.broker = rabbitmqBroker(config).open({
      name: "test",
      instance: newName(),
      clock,
      random,
      log: this.lines,
    });
  }

  topology(order: ConsumerOptions["order"] = "none", topics: readonly string[] = [this.topic]): Topology {
    const group = {
      group: "group",
      order,
      from: "earliest",
      deadLetterTopic: null,
      retryTopics: [],
      maxTries: 1,
    } as const;
    return { topics, subscriptions: topics.map((topic) => ({ ...group, topics: [topic] })) };
  }

  async declare(order?: ConsumerOptions["order"], topics?: readonly string[]): Promise<void> {
    const problems = await this.broker.topology(this.topology(order, topics), "create");
    if (problems.length > 0) throw new Error(problems.join("; "));
  }

  async consume(
    options: Partial<ConsumerOptions> = {},
  ): Promise<{ consumer: Consumer; sink: RecordingSink }> {
    const sink = new RecordingSink();
    const consumer = this.broker.consumer({
      topics: [this.topic],
      pattern: null,
      group: "group",
      order: "none",
      prefetch: 1000,
      from: "earliest",
      isPrivate: false,
      timeoutMs: 30_000,
      sink,
      ...options,
    });
    this.consumers.push(consumer);
    consumer.start();
    await waitFor(() => sink.states.includes("running"), { subject: "the consumer to run" });
    return { consumer, sink };
  }

  async send(
    messages: readonly Partial<OutgoingMessage>[],
    signal: AbortSignal = AbortSignal.timeout(60_000),
  ): Promise<readonly SendResult[]> {
    const base = { topic: this.topic, key: null, body: "{}", delayMs: 0, headers: {} };
    return await this.broker.producer.send(
      messages.map((message) => ({ ...base, id: newName(), ...message })),
      { signal },
    );
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.consumers.map((consumer) => consumer.close()));
    await this.broker.close();
  }
}

/** An app on RabbitMQ. */
export class TestApp implements AsyncDisposable {
  readonly app: App & MessagingMethods & RabbitMQMethods;
  readonly lines: Lines = new Lines();
  private isStopped = false;

  constructor(config: ConfigInput<RabbitMQConfig> & SharedConfig) {
    this.app = new (App.with(messaging, rabbitmq))().enableRabbitmq(config);
  }

  subscribe(topic: string, options: object, handle: (message: Message) => unknown): this {
    this.app.messaging.subscribe(topic, { group: "group", ...options }, handle as () => void);
    return this;
  }

  async start(): Promise<this> {
    await this.app.start({ log: this.lines });
    await waitFor(() => this.app.messaging.status().every(({ state }) => state === "running"), {
      subject: "the subscriptions to run",
    });
    return this;
  }

  async stop(): Promise<void> {
    if (this.isStopped) return;
    this.isStopped = true;
    await this.app.stop();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
  }
}

/** Runs requests to the server on a separate connection. */
export const onServer = async <T>(url: string, work: (channel: Channel) => Promise<T>): Promise<T> => {
  const connection = await connect(url);
  connection.on("error", () => {}); // the call rejects with the error
  try {
    const channel = await connection.createChannel();
    channel.on("error", () => {});
    return await work(channel);
  } finally {
    await connection.close();
  }
};
