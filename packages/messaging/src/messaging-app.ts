// Long, because it holds the state of an app from its declarations to its running brokers; the parts have their own files.
import { randomUUID } from "node:crypto";
import type { AppSettings, Logger, Middleware, Problem } from "@framework/core";
import {
  type Clock,
  type ConfigInput,
  type Host,
  keepAliveDuring,
  nearest,
  type Operations,
  systemClock,
} from "@framework/core/feature";
import { AppBroker, brokerProblems, type EnabledBroker } from "./brokers/app-broker.ts";
import {
  declareOn,
  type DeclaredTopology,
  topologyOf,
  type TopologyParts,
} from "./brokers/declared-topology.ts";
import { sendOnce } from "./brokers/send-once.ts";
import { RunningSubscription } from "./consume/running-subscription.ts";
import type { SubscriptionParts } from "./consume/subscription-parts.ts";
import { ParkedMessages } from "./dead-letter/parked-messages.ts";
import { databaseBroker } from "./database/database-broker.ts";
import { DatabaseInbox } from "./inbox/database-inbox.ts";
import { messagingError } from "./errors/messaging-error.ts";
import { messagingSystem } from "./insight/messaging-system.ts";
import { messageOperations, reportBrokers } from "./insight/report.ts";
import type { MessagingOutline } from "./outline/messaging-outline.ts";
import type { SubscriptionStatus } from "./consume/subscription-status.ts";
import type { Message } from "./message/message.ts";
import type { Outcome } from "./message/outcome.ts";
import { isAdapter, MessagingConfig } from "./messaging-config.ts";
import type { Kernel } from "@framework/durable/feature";
import type { Broker, BrokerAdapter, BrokerContext } from "./port/broker-adapter.ts";
import type { OutgoingMessage } from "./port/delivery.ts";
import type { Transaction } from "@framework/database";
import { Outbox, type SendNow } from "./outbox/outbox.ts";
import { sendOperations, type SentMessages } from "./send/send-operations.ts";
import { Sender } from "./send/sender.ts";
import type { Topic } from "./send/topic.ts";
import type { SubscriptionSpec } from "./subscribe/subscription-spec.ts";
import { allEnded } from "./waiting/all-ended.ts";

/** A broker of a running app with its sender. */
interface RunningBroker {
  readonly app: AppBroker;
  readonly adapter: BrokerAdapter;
  readonly sender: Sender;
  readonly config: Readonly<MessagingConfig>;
}

/** Silent log of a broker that is opened before the start: `declareTopology` returns its problems. */
const silentLog: Logger = { info() {}, warn() {}, error() {} };

/** Name of the broker of `enableMessaging`. */
export const DEFAULT_BROKER = "default";

/** Brokers, subscriptions and middleware of one app. */
export class MessagingApp {
  readonly middleware: Middleware<Message, Outcome>[] = [];
  private readonly host: Host;
  /** The kernel of durable work; `null` when durable is not composed before messaging. */
  private readonly kernel: Kernel | null;
  private readonly inbox: DatabaseInbox | null;
  private readonly parked: ParkedMessages | null;
  private readonly enabled = new Map<string, EnabledBroker>();
  private readonly specs: SubscriptionSpec[] = [];
  private readonly running = new Map<string, RunningBroker>();
  private readonly outboxes = new Map<string, Outbox>();
  private operations: Operations<Message> | null = null;
  private sends: Operations<SentMessages> | null = null;
  private readonly instance: string = randomUUID();

  constructor(host: Host, kernel: Kernel | null) {
    this.host = host;
    this.kernel = kernel;
    this.inbox = kernel === null ? null : new DatabaseInbox(kernel);
    this.parked =
      kernel === null
        ? null
        : new ParkedMessages(kernel, (tx, broker, message) => this.sendAgain(tx, broker, message));
  }

  /** Enables the default broker on the app's database. */
  enableOnDatabase(input: ConfigInput<MessagingConfig>): void {
    if (this.kernel === null)
      return this.problem(
        "compose database and durable before messaging, and call enableDatabase(); or choose another broker",
      );
    this.parked?.use();
    this.enable(DEFAULT_BROKER, databaseBroker(this.kernel), input);
  }

  /** All declared subscriptions. */
  get subscriptions(): readonly SubscriptionSpec[] {
    return this.specs;
  }

  /** All enabled brokers. */
  get brokers(): readonly EnabledBroker[] {
    return Array.from(this.enabled.values());
  }

  /** Returns the topics that the app sends to and receives from. Complete at the start. */
  outline(): MessagingOutline {
    const brokers = Array.from(this.enabled.values(), ({ name, adapter, config }) => ({
      name,
      system: adapter.name,
      servers: adapter.servers ?? [],
      envelope: adapter.capabilities.envelope,
      hasReplies: adapter.capabilities.privateTopics,
      sends: config.topics.map((each) =>
        typeof each === "string"
          ? { topic: each, description: null, schemas: null }
          : { topic: each.name, description: each.description, schemas: each.schemas },
      ),
      receives: this.specs
        .filter(({ broker }) => this.nameOf(broker) === name)
        .map(({ topic, group, schema, schemas }) => ({
          topic: typeof topic === "string" ? topic : topic.source,
          isPattern: typeof topic !== "string",
          group,
          schemas: schema ?? (schemas === null ? null : Object.fromEntries(schemas)),
        })),
    }));
    return { brokers };
  }

  /** Verifies or creates the topology of all brokers on separate connections; the app need not have started. @throws MESSAGING_NOT_ENABLED, MESSAGING_BAD_CONFIG */
  async declareTopology(mode: "verify" | "create"): Promise<readonly DeclaredTopology[]> {
    if (this.enabled.size === 0) throw messagingError("MESSAGING_NOT_ENABLED", this.unknownBroker(null));
    const [problem] = this.specs.flatMap((spec) => this.subscriptionProblems(spec));
    if (problem !== undefined) throw messagingError("MESSAGING_BAD_CONFIG", problem.message);
    return await keepAliveDuring(() =>
      Promise.all(this.brokers.map((enabled) => this.declareOn(enabled, mode))),
    );
  }

  private declareOn(enabled: EnabledBroker, mode: "verify" | "create"): Promise<DeclaredTopology> {
    const { name, adapter } = enabled;
    const specs = this.specs.filter((spec) => this.nameOf(spec.broker) === name);
    const parts = { ...this.topologyParts(enabled), capabilities: adapter.capabilities };
    const context = this.contextOf(enabled);
    return declareOn(adapter, context, { topology: topologyOf(specs, parts), mode });
  }

  /** Returns the context of a broker that is opened before the start. */
  private contextOf({ name, config }: EnabledBroker): BrokerContext {
    const { instance } = this;
    return { name, instance, clock: config.clock ?? systemClock, random: Math.random, log: silentLog };
  }

  private topologyParts(enabled: EnabledBroker): Pick<TopologyParts, "topics" | "deadLetterTopicOf"> {
    return {
      topics: enabled.config.topics.map(topicName),
      deadLetterTopicOf: (spec) => (this.isParked(spec, enabled) ? null : deadLetterTopic(spec)),
    };
  }

  /** Adds a broker. The first one registers the lifecycle tasks of messaging. */
  enable(name: string, adapter: BrokerAdapter, input: ConfigInput<MessagingConfig> = {}): void {
    const config = this.host.configure(MessagingConfig, input);
    if (!isBrokerName(name))
      return this.problem("the name of a broker must be a string of 1 to 100 characters");
    if (!isAdapter(adapter))
      return this.problem(`the broker "${name}" must be an adapter, such as memoryBroker()`);
    if (this.enabled.has(name)) return this.problem(`there are two brokers "${name}"; rename one`);
    if (this.enabled.size === 0) this.registerLifecycle();
    this.enabled.set(name, { name, adapter, config });
    if (config.outbox) this.openOutbox(name, config.clock ?? systemClock);
  }

  /** Adds a middleware around every handler of single messages. */
  use(middleware: Middleware<Message, Outcome>): void {
    this.host.check(() => []); // throws after the start
    if (typeof middleware !== "function")
      return this.problem("the middleware of use must be a function (message, next) => outcome");
    this.middleware.push(middleware);
  }

  /** Returns the default group of a broker's subscriptions, if it has one. */
  defaultGroup(broker: string | undefined): string | undefined {
    const enabled = this.enabled.get(this.nameOf(broker) ?? "");
    return enabled?.config.group ?? enabled?.adapter.defaultGroup;
  }

  private openOutbox(name: string, clock: Clock): void {
    if (this.kernel === null)
      return this.problem("the outbox needs a database: compose database and durable before messaging");
    const sendNow: SendNow = async (messages) => await this.broker(name).sender.sendNow(messages);
    const log = (): Logger => this.host.life.settings.log;
    this.outboxes.set(name, new Outbox(this.kernel, name, { sendNow, clock, log }));
  }

  subscribe(spec: SubscriptionSpec, problems: readonly string[]): void {
    const label = `${String(spec.topic)} ${spec.group}`;
    this.host.check(() => this.subscriptionProblems(spec));
    for (const problem of problems) this.problem(`subscription "${label}": ${problem}`);
    if (problems.length > 0) return;
    if (spec.inject !== undefined) this.host.state.inject(`subscription ${label}`, spec.inject);
    if (spec.auth !== undefined) this.host.life.install(spec.auth);
    if (spec.dedupe === "inbox") this.inbox?.use();
    if (spec.deadLetter === "parked") this.parked?.use();
    this.specs.push(spec);
  }

  /** Returns the status of every subscription of this process. */
  status(): readonly SubscriptionStatus[] {
    return Array.from(this.running.values(), ({ app }) => app.status()).flat();
  }

  /** Returns a broker by name, or the default one. @throws MESSAGING_NOT_ENABLED; CORE_NOT_STARTED */
  broker(name: string | undefined): RunningBroker {
    void this.host.life.settings; // throws before the start
    const found = this.running.get(this.nameOf(name) ?? "");
    if (found !== undefined) return found;
    throw messagingError("MESSAGING_NOT_ENABLED", this.unknownBroker(name));
  }

  /** Returns the name of the given or default broker; `null` if there is no such broker, or no single default. */
  private nameOf(name: string | null | undefined): string | null {
    if (typeof name === "string") return this.enabled.has(name) ? name : null;
    if (this.enabled.has(DEFAULT_BROKER)) return DEFAULT_BROKER;
    const [only, second] = this.enabled.keys();
    return second === undefined ? (only ?? null) : null;
  }

  private unknownBroker(name: string | null | undefined): string {
    const names = Array.from(this.enabled.keys());
    if (names.length === 0) return "no broker is enabled; call enableMessaging()";
    if (typeof name !== "string")
      return `there are several brokers; choose one of ${names.join(", ")} with \`broker\``;
    const [nearestName] = nearest(name, names);
    return `there is no broker "${name}"${nearestName === undefined ? "" : `; did you mean "${nearestName}"?`}`;
  }

  private subscriptionProblems(spec: SubscriptionSpec): readonly Problem[] {
    const label = `${String(spec.topic)} ${spec.group}`;
    const name = this.nameOf(spec.broker);
    const broker = name === null ? undefined : this.enabled.get(name);
    const problemOf = (message: string): Problem => ({
      code: "MESSAGING_BAD_CONFIG",
      message: `messaging: ${message}`,
    });
    if (broker === undefined)
      return [problemOf(`subscription "${label}": ${this.unknownBroker(spec.broker)}`)];
    const needsDatabase = spec.dedupe === "inbox" || spec.deadLetter === "parked";
    const noDatabase =
      needsDatabase && this.kernel === null
        ? [
            problemOf(
              `subscription "${label}": inbox and parked dead letters need a database; compose database and durable before messaging, and call enableDatabase()`,
            ),
          ]
        : [];
    const twice = this.isTaken(spec)
      ? [problemOf(`there are two subscriptions "${label}"; use one with schemas by type`)]
      : [];
    return [...twice, ...brokerProblems(spec, broker), ...noDatabase];
  }

  /** Whether an earlier valid subscription has the same topic, group and broker. */
  private isTaken(spec: SubscriptionSpec): boolean {
    const { topic, group, broker } = spec;
    const at = this.specs.indexOf(spec); // -1 for a subscription with other mistakes
    return this.specs
      .slice(0, at < 0 ? undefined : at)
      .some(
        (each) =>
          String(each.topic) === String(topic) &&
          each.group === group &&
          this.nameOf(each.broker) === this.nameOf(broker),
      );
  }

  private problem(message: string): void {
    this.host.problem({ code: "MESSAGING_BAD_CONFIG", message: `messaging: ${message}` });
  }

  private registerLifecycle(): void {
    const { life, insight } = this.host;
    this.operations = messageOperations(insight);
    this.sends = sendOperations(insight);
    life.onStart({ name: "messaging", run: (settings) => this.prepare(settings) });
    life.onListening({ name: "messaging", run: () => this.begin() });
    life.onDrain((deadline) => this.drain(deadline));
    life.onStop({ name: "messaging", run: () => this.close() });
    reportBrokers(insight, () => Array.from(this.running.values(), ({ app }) => app));
  }

  private async prepare(settings: AppSettings): Promise<void> {
    const { operations, sends } = this;
    if (operations === null || sends === null) return;
    for (const enabled of this.enabled.values()) {
      const { name, adapter, config } = enabled;
      if (adapter.capabilities.isInProcess && settings.workers > 1)
        throw messagingError(
          "MESSAGING_BAD_CONFIG",
          `the broker "${name}" is in-memory: each of the ${settings.workers} workers would have its own messages`,
        );
      const clock = config.clock ?? systemClock;
      const {
        log,
        shared: { permits },
      } = settings;
      const context = { name, instance: this.instance, clock, random: Math.random, log };
      const broker = adapter.open(context);
      const sender = this.sender(enabled, { broker, clock, sends });
      const app = new AppBroker({
        ...enabled,
        broker,
        instance: this.instance,
        clock,
        log,
        outbox: this.outboxes.get(name) ?? null,
        isConsuming: adapter.name !== "database" || this.kernel?.runsWork === true,
        topologyMode: config.topology ?? (settings.env === "production" ? "verify" : "create"),
        ...this.topologyParts(enabled),
      });
      for (const spec of this.specs)
        if (this.nameOf(spec.broker) === name)
          app.subscriptions.push(
            new RunningSubscription(
              this.parts(spec, enabled, { broker, sender, permits, clock, log, operations }),
            ),
          );
      this.running.set(name, { app, adapter, sender, config });
    }
    for (const { app } of this.running.values()) await app.register();
  }

  private sender(
    { name, adapter, config }: EnabledBroker,
    { broker, clock, sends }: { broker: Broker; clock: Clock; sends: Operations<SentMessages> },
  ): Sender {
    const { capabilities } = adapter;
    const outbox = this.outboxes.get(name) ?? null;
    const trace = () => this.host.insight.currentTrace();
    const system = messagingSystem(adapter.name);
    return new Sender({
      ...config,
      name,
      system,
      sends,
      trace,
      broker: () => broker,
      isClosed: () => this.running.get(name)?.app.isClosed ?? false,
      capabilities,
      clock,
      outbox,
    });
  }

  /** Whether dead letters are parked: by default only on the database. */
  private isParked({ deadLetter }: SubscriptionSpec, { adapter }: EnabledBroker): boolean {
    return deadLetter === "parked" || (deadLetter === null && adapter.name === "database");
  }

  private async sendAgain(tx: Transaction, broker: string, message: OutgoingMessage): Promise<void> {
    const enabled = this.enabled.get(broker);
    if (enabled !== undefined && !this.running.has(broker)) {
      const timeoutMs = enabled.config.sendTimeoutMs;
      return await sendOnce(enabled.adapter, this.contextOf(enabled), { tx, message, timeoutMs });
    }
    const { app, sender } = this.broker(broker);
    const { producer } = app.broker;
    if (producer.sendIn !== undefined) return await producer.sendIn(tx, [message]);
    const [result] = await sender.sendNow([message]);
    if (result?.ok !== true) throw result?.error ?? new Error("the broker returned no result");
  }

  private parts(
    spec: SubscriptionSpec,
    enabled: EnabledBroker,
    dependencies: Pick<SubscriptionParts, "broker" | "sender" | "permits" | "clock" | "log" | "operations">,
  ): SubscriptionParts {
    const { parked } = this;
    const { name, adapter, config } = enabled;
    const park: SubscriptionParts["park"] =
      parked?.isUsed === true ? (dead, settleIn) => parked.park(dead, name, settleIn) : null;
    return {
      ...dependencies,
      maxMessageBytes: config.maxMessageBytes,
      maxHeaderBytes: Math.min(config.maxHeaderBytes, adapter.capabilities.maxHeaderBytes),
      spec,
      brokerName: name,
      system: messagingSystem(adapter.name),
      capabilities: adapter.capabilities,
      state: this.host.state,
      middleware: this.middleware,
      random: Math.random,
      park: this.isParked(spec, enabled) ? park : null,
      parkRefused: park,
      deadLetterTopic: deadLetterTopic(spec),
      inbox: spec.dedupe === "inbox" ? this.inbox : null,
      replies: {
        sender: dependencies.sender,
        source: config.source,
        newId: randomUUID,
        date: dependencies.clock.date,
        log: dependencies.log,
      },
      isPrivate: false,
    };
  }

  private begin(): void {
    this.inbox?.begin(systemClock, this.host.life.settings.log);
    for (const { app } of this.running.values()) app.begin();
  }

  private async drain(deadline: AbortSignal): Promise<void> {
    this.inbox?.end();
    await allEnded(Array.from(this.running.values(), ({ app }) => app.drain(deadline)));
  }

  private async close(): Promise<void> {
    await allEnded(Array.from(this.running.values(), ({ app }) => app.close()));
  }
}

const isBrokerName = (name: unknown): boolean =>
  typeof name === "string" && name !== "" && name.length <= 100;

const topicName = (topic: string | Topic): string => (typeof topic === "string" ? topic : topic.name);

/** Returns the dead-letter topic of a subscription, used if dead letters are not parked. */
const deadLetterTopic = ({ topic, group, deadLetter }: SubscriptionSpec): string => {
  if (deadLetter !== null && deadLetter !== "topic" && deadLetter !== "parked") return deadLetter;
  return `${typeof topic === "string" ? topic : "pattern"}.${group}.dlq`;
};
