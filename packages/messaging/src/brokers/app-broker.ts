import type { Logger, Problem } from "@framework/core";
import { type Clock, keepAlive } from "@framework/core/feature";
import { pause } from "@framework/durable/feature";
import type { RunningSubscription } from "../consume/running-subscription.ts";
import { ReplyInbox } from "../request/reply-inbox.ts";
import type { SubscriptionStatus } from "../consume/subscription-status.ts";
import { messagingError } from "../errors/messaging-error.ts";
import type { Outbox } from "../outbox/outbox.ts";
import type { MessagingConfig } from "../messaging-config.ts";
import type { Broker, BrokerAdapter, Topology } from "../port/broker-adapter.ts";
import { isName, NAME_RULE } from "../subscribe/subscription-problems.ts";
import type { SubscriptionSpec } from "../subscribe/subscription-spec.ts";
import { topologyOf, topologyProblems } from "./declared-topology.ts";

/** A broker that the app enabled, before its start. */
export interface EnabledBroker {
  /** Name in the app. */
  readonly name: string;
  readonly adapter: BrokerAdapter;
  readonly config: Readonly<MessagingConfig>;
}

/** What a broker needs at start. */
export interface AppBrokerParts extends EnabledBroker {
  readonly broker: Broker;
  /** Unique id of this process. */
  readonly instance: string;
  readonly clock: Clock;
  readonly log: Logger;
  /** Has messages of transactions; `null` without `outbox: true`. */
  readonly outbox: Pick<Outbox, "trouble"> | null;
  /** Whether its subscriptions consume in this process; not with `runWork: false` on the database. */
  readonly consumes: boolean;
  readonly topologyMode: "verify" | "create" | "off";
  /** Topics that the app sends to. */
  readonly topics: readonly string[];
  readonly deadLetterTopicOf: (spec: SubscriptionSpec) => string | null;
}

const FIRST_PAUSE_MS = 200;
const LONGEST_PAUSE_MS = 10_000;

/** Time between two readings of the lag. */
const LAG_MS = 15_000;

/** A broker of a running app: declares its topology, starts its subscriptions, says whether they are ready. */
export class AppBroker {
  readonly subscriptions: RunningSubscription[] = [];
  private readonly parts: AppBrokerParts;
  private readonly ending = new AbortController();
  private topologyProblem: string | null = "its topics have not been looked at";
  private openReplies: ReplyInbox | null = null;
  private hasClosed = false;
  private starting: Promise<void> = Promise.resolve();
  private cancelLag: () => void = () => {};
  private releaseProcess: () => void = () => {};

  constructor(parts: AppBrokerParts) {
    this.parts = parts;
  }

  get name(): string {
    return this.parts.name;
  }

  get broker(): Broker {
    return this.parts.broker;
  }

  /** Whether nothing is sent any more. */
  get isClosed(): boolean {
    return this.hasClosed;
  }

  /** The replies to requests of this process; opened with the first request. @throws MESSAGING_SEND_FAILED after the stop */
  get replies(): ReplyInbox {
    if (this.hasClosed) throw messagingError("MESSAGING_SEND_FAILED", "the app has stopped");
    return (this.openReplies ??= new ReplyInbox(this.parts));
  }

  /** Makes the groups of its subscriptions known, where the broker is the app's database. What fails is repeated, and reported, after the start. */
  async register(): Promise<void> {
    await this.parts.broker.register?.(this.topology()).catch(() => {});
  }

  /** Ends a group that this process does not subscribe to. Returns whether there was one. @throws MESSAGING_BAD_CONFIG */
  async endGroup(topic: string, group: string): Promise<boolean> {
    const { broker, name } = this.parts;
    const refused = (problem: string): Error => messagingError("MESSAGING_BAD_CONFIG", problem);
    if (!isName(group)) throw refused(`the name of a group has ${NAME_RULE}, unlike "${group}"`); // "" has what waits for the first group
    if (broker.endGroup === undefined)
      throw refused(`the broker "${name}" ends no groups; use its own tools to remove "${group}"`);
    if (this.subscriptions.some(({ spec }) => spec.topic === topic && spec.group === group))
      throw refused(`this process subscribes to "${topic}" as the group "${group}", which cannot end`);
    return await broker.endGroup(topic, group);
  }

  /** Begins to connect; the app's start does not wait for the broker. Subscriptions keep the process running until `close`: the broker may be away. */
  begin(): void {
    if (this.parts.consumes && this.subscriptions.length > 0) this.releaseProcess = keepAlive();
    this.starting = this.declareAndStart();
    this.cancelLag = this.parts.clock.every(LAG_MS, () => void this.readLag());
  }

  status(): readonly SubscriptionStatus[] {
    const { name } = this;
    return this.subscriptions.map(({ spec, counts, state, reason, trouble, isLimited, inFlight, lag }) => ({
      ...counts,
      broker: name,
      topic: String(spec.topic),
      group: spec.group,
      state,
      reason: state === "running" ? trouble : (this.topologyProblem ?? reason),
      isLimited,
      inFlight,
      lag,
    }));
  }

  /** Throws when a subscription gets no messages, with the reasons. */
  async health(signal: AbortSignal): Promise<Readonly<Record<string, unknown>>> {
    const details = await this.parts.broker.health(signal);
    const reasons = [
      ...(this.topologyProblem === null ? [] : [this.topologyProblem]),
      ...this.subscriptions
        .filter(({ state }) => state !== "running")
        .map(
          ({ label, state, reason }) =>
            `the subscription "${label}" is ${state}${reason === null ? "" : `: ${reason}`}`,
        ),
      ...this.subscriptions
        .filter(({ stalledMs }) => stalledMs > 0)
        .map(
          ({ label, overdue, stalledMs }) =>
            `the subscription "${label}" is stalled: ${overdue} messages are due, and none came for ${Math.round(stalledMs / 1000)} s`,
        ),
      ...this.subscriptions.flatMap(({ label, lastingTrouble }) =>
        lastingTrouble === null ? [] : [`the subscription "${label}": ${lastingTrouble}`],
      ),
    ];
    if (reasons.length > 0) throw new Error(`messaging ${this.name}: ${reasons.join("; ")}`);
    const unsent = this.parts.outbox?.trouble ?? null;
    return {
      ...details,
      subscriptions: this.subscriptions.length,
      ...(unsent !== null && { outbox: unsent }),
    };
  }

  async drain(deadline: AbortSignal): Promise<void> {
    this.ending.abort();
    this.cancelLag();
    await this.starting;
    const limit = new AbortController();
    const cancel = this.parts.clock.after(this.parts.config.drainMs, () => limit.abort());
    const until = AbortSignal.any([deadline, limit.signal]);
    await Promise.all(this.subscriptions.map((subscription) => subscription.stop(until)));
    cancel();
  }

  /** Closes the broker. Until then requests get their replies, also those that other features make in their drain. */
  async close(): Promise<void> {
    this.hasClosed = true;
    try {
      await this.openReplies?.close();
    } finally {
      this.releaseProcess();
      await this.parts.broker.close();
    }
  }

  private async readLag(): Promise<void> {
    await Promise.all(this.subscriptions.map((subscription) => subscription.readLag()));
  }

  private async declareAndStart(): Promise<void> {
    const { signal } = this.ending;
    for (let pauseMs = FIRST_PAUSE_MS; !signal.aborted; pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS)) {
      if (await this.declare()) break;
      await pause(this.parts.clock, pauseMs, signal);
    }
    if (signal.aborted) return;
    for (const subscription of this.subscriptions) subscription.start();
  }

  /** Returns whether the topology is as declared. */
  private async declare(): Promise<boolean> {
    const { broker, topologyMode, log, name } = this.parts;
    const before = this.topologyProblem;
    const problems =
      topologyMode === "off"
        ? []
        : await topologyProblems(broker, this.topology(), topologyMode, this.ending.signal);
    this.topologyProblem = problems.length === 0 ? null : problems.join("; ");
    if (this.topologyProblem !== null && this.topologyProblem !== before)
      log.warn(`messaging: the broker "${name}" is not ready, and is asked again`, {
        reason: this.topologyProblem,
      });
    return this.topologyProblem === null;
  }

  private topology(): Topology {
    const { adapter } = this.parts;
    const specs = this.subscriptions.map(({ spec }) => spec);
    return topologyOf(specs, { ...this.parts, capabilities: adapter.capabilities });
  }
}

/** Mistakes of a subscription that only its broker knows. */
export const brokerProblems = (
  spec: SubscriptionSpec,
  { name, adapter }: EnabledBroker,
): readonly Problem[] => {
  const { capabilities } = adapter;
  const label = `${String(spec.topic)} ${spec.group}`;
  const rules: readonly (readonly [boolean, string])[] = [
    [spec.order === "none" || capabilities.orders.includes(spec.order), `keeps no order by ${spec.order}`],
    [typeof spec.topic === "string" || capabilities.patterns, "has no subscriptions to patterns"],
    [
      spec.from === "earliest" || capabilities.replay,
      'keeps no messages that a group could begin behind; leave out from: "latest"',
    ],
    [
      spec.prefetch === null || spec.prefetch >= spec.batch.size || capabilities.settlement === "cumulative",
      "hands over at most `prefetch` messages, so that a batch would never fill; let it be at least batch.size",
    ],
  ];
  return rules
    .filter(([holds]) => !holds)
    .map(([, rule]) => ({
      code: "MESSAGING_BAD_CONFIG",
      message: `messaging: subscription "${label}": the broker "${name}" (${adapter.name}) ${rule}`,
    }));
};
