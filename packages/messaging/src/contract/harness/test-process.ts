import { systemClock } from "@framework/core/feature";
import { newHeaders } from "../../envelope/event.ts";
import type { Broker, BrokerAdapter, Consumer, ConsumerOptions } from "../../port/broker-adapter.ts";
import type { Capabilities } from "../../port/capabilities.ts";
import type { Delivery, OutgoingMessage, Settlement } from "../../port/delivery.ts";
import type { ConsumerState, Sink } from "../../port/sink.ts";
import type { BrokerFixture } from "./broker-fixture.ts";
import { until } from "./until.ts";

const quiet = { info() {}, warn() {}, error() {} };

/** A sink that records deliveries, with room for a given number of them. */
export class TestSink implements Sink {
  /** All deliveries, in order. */
  readonly deliveries: Delivery[] = [];
  /** Deliveries reported as lost. */
  readonly lostDeliveries: Delivery[] = [];
  /** States of the consumer, in order. */
  readonly states: ConsumerState[] = [];
  /** Maximum number by which deliveries have exceeded the room. */
  excess = 0;
  private limit: number;
  private waiters: (() => void)[] = [];

  constructor(limit: number) {
    this.limit = limit;
  }

  /** Bodies as text, in the order of delivery. */
  get bodies(): readonly string[] {
    return this.deliveries.map(({ body }) => textOf(body));
  }

  /** Adds room for more deliveries. */
  allow(more: number): void {
    this.limit += more;
    for (const resolve of this.waiters.splice(0)) resolve();
  }

  room(): number {
    return Math.max(0, this.limit - this.deliveries.length);
  }

  async whenRoom(_partition: string | null, signal: AbortSignal): Promise<void> {
    if (this.room() > 0 || signal.aborted) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.waiters.push(resolve);
    signal.addEventListener("abort", () => resolve(), { once: true });
    await promise;
  }

  deliver(deliveries: readonly Delivery[]): void {
    this.deliveries.push(...deliveries);
    this.excess = Math.max(this.excess, this.deliveries.length - this.limit);
  }

  lost(deliveries: readonly Delivery[]): void {
    this.lostDeliveries.push(...deliveries);
  }

  revoked(): void {}

  isAlive(): boolean {
    return true;
  }

  isPartitionAlive(): boolean {
    return true;
  }

  suspend(): void {}

  proceed(): void {}

  state(state: ConsumerState): void {
    this.states.push(state);
  }
}

/** A started consumer with its sink. */
export interface TestConsumer {
  /** Records deliveries. */
  readonly sink: TestSink;
  /** The consumer. */
  readonly consumer: Consumer;
  /** Waits for `count` deliveries, and returns the first `count`. */
  got(count: number): Promise<readonly Delivery[]>;
  /** Settles deliveries as done. Rejects if any of them is not held. */
  done(...deliveries: readonly Delivery[]): Promise<void>;
}

/** A broker opened from an adapter, without the rest of messaging. Represents one process. */
export class TestProcess implements AsyncDisposable {
  /** The broker of the adapter. */
  readonly broker: Broker;
  /** Capabilities of the adapter. */
  readonly capabilities: Capabilities;
  /** Default topic: `<prefix>-topic`. */
  readonly topic: string;
  private readonly prefix: string;
  private readonly consumers: Consumer[] = [];

  constructor(adapter: BrokerAdapter, prefix: string) {
    this.capabilities = adapter.capabilities;
    this.prefix = prefix;
    this.topic = `${prefix}-topic`;
    this.broker = adapter.open({
      name: "contract",
      instance: `${prefix}-${processes++}`,
      clock: systemClock,
      random: Math.random,
      log: quiet,
    });
  }

  /** Declares the topic and a group, as an app does before it consumes. */
  async declare(
    options: Partial<ConsumerOptions> = {},
    groups: readonly string[] = ["group"],
  ): Promise<void> {
    const { order = "none", topics = [this.topic], from = "earliest" } = options;
    const subscriptions = groups.map((group) => ({
      topics,
      group: `${this.prefix}-${group}`,
      order,
      from,
      deadLetterTopic: null,
      retryTopics: [],
      maxTries: 7,
    }));
    const problems = await this.broker.topology({ topics, subscriptions }, "create");
    if (problems.length > 0) throw new Error(problems.join("; "));
  }

  /** Starts a consumer. */
  async consume({
    room = 1000,
    group = "group",
    ...options
  }: Partial<ConsumerOptions> & { readonly room?: number } = {}): Promise<TestConsumer> {
    const sink = new TestSink(room);
    const consumer = this.broker.consumer({
      topics: [this.topic],
      pattern: null,
      order: "none",
      prefetch: Math.min(Math.max(room, 1), 1000),
      from: "earliest",
      isPrivate: false,
      timeoutMs: 30_000,
      sink,
      ...options,
      group: `${this.prefix}-${group}`,
    });
    this.consumers.push(consumer);
    consumer.start();
    await until("the consumer to run", () => sink.states.includes("running"));
    const got = async (count: number): Promise<readonly Delivery[]> => {
      await until(`${count} deliveries`, () => sink.deliveries.length >= count);
      return sink.deliveries.slice(0, count);
    };
    const done = async (...deliveries: readonly Delivery[]): Promise<void> => {
      const settlements = deliveries.map((delivery): Settlement => ({ delivery, action: "done" }));
      const lost = await consumer.settle(settlements);
      if (lost.length > 0) throw new Error(`${lost.length} deliveries were not held`);
    };
    return { sink, consumer, got, done };
  }

  /** Sends messages. Rejects unless all are confirmed. */
  async send(...messages: readonly Partial<OutgoingMessage>[]): Promise<void> {
    const results = await this.broker.producer.send(
      messages.map((each) => this.message(each)),
      {
        signal: AbortSignal.timeout(60_000),
      },
    );
    for (const result of results) if (!result.ok) throw result.error;
  }

  /** Creates a message with defaults. */
  message({ headers, ...members }: Partial<OutgoingMessage>): OutgoingMessage {
    return {
      topic: this.topic,
      id: `${this.prefix}-${messages++}`,
      key: null,
      body: "{}",
      delayMs: 0,
      ...members,
      headers: Object.assign(newHeaders(), { "content-type": "application/json" }, headers),
    };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.consumers.map((consumer) => consumer.close()));
    await this.broker.close();
  }
}

let processes = 0;
let messages = 0;

/** Creates a process on a fixture's broker. */
export const processOf = (fixture: BrokerFixture): TestProcess =>
  new TestProcess(fixture.adapter(), fixture.prefix);

/** Returns a body as text. */
export const textOf = (body: string | Uint8Array): string =>
  typeof body === "string" ? body : new TextDecoder().decode(body);
