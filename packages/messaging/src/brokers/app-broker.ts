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
import { allEnded } from "../waiting/all-ended.ts";
import { untilAborted } from "../waiting/until-aborted.ts";
import { topologyOf, topologyProblems } from "./declared-topology.ts";

/** A broker that the app has enabled. */
export interface EnabledBroker {
  /** Name in the app. */
  readonly name: string;
  readonly adapter: BrokerAdapter;
  readonly config: Readonly<MessagingConfig>;
}

/** Dependencies of `AppBroker`. */
export interface AppBrokerParts extends EnabledBroker {
  readonly broker: Broker;
  /** Unique id of this process. */
  readonly instance: string;
  readonly clock: Clock;
  readonly log: Logger;
  /** Outbox of the broker; `null` without `outbox: true`. */
  readonly outbox: Pick<Outbox, "ongoingFailure"> | null;
  /** Whether subscriptions consume in this process; `false` with `runWork: false` on the database. */
  readonly isConsuming: boolean;
  readonly topologyMode: "verify" | "create" | "off";
  /** Topics that the app sends to. */
  readonly topics: readonly string[];
  readonly deadLetterTopicOf: (spec: SubscriptionSpec) => string | null;
}

const FIRST_PAUSE_MS = 200;
const MAX_PAUSE_MS = 10_000;

/** Interval of lag readings. */
const LAG_MS = 15_000;

/** A broker of a running app: declares its topology, starts its subscriptions and reports their health. */
export class AppBroker {
  readonly subscriptions: RunningSubscription[] = [];
  private readonly parts: AppBrokerParts;
  private readonly ending = new AbortController();
  private topologyProblem: string | null = "its topics have not been checked";
  private inbox: ReplyInbox | null = null;
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

  /** Whether it was closed: sends fail. */
  get isClosed(): boolean {
    return this.hasClosed;
  }

  /** Receives the replies to requests of this process; the first call opens the inbox. @throws MESSAGING_SEND_FAILED after the stop */
  openInbox(): ReplyInbox {
    if (this.hasClosed) throw messagingError("MESSAGING_SEND_FAILED", "the app has stopped");
    return (this.inbox ??= new ReplyInbox(this.parts));
  }

  /**
   * Registers the groups of its subscriptions if the broker is the app's database. Never rejects: after the start, declaring the topology registers them again
   * and reports failures.
   */
  async register(): Promise<void> {
    await this.parts.broker.register?.(this.topology()).catch(() => {});
  }

  /** Ends a group that this process does not subscribe to. Returns whether the group existed. @throws MESSAGING_BAD_CONFIG */
  async endGroup(topic: string, group: string): Promise<boolean> {
    const { broker, name } = this.parts;
    const badConfig = (problem: string): Error => messagingError("MESSAGING_BAD_CONFIG", problem);
    if (!isName(group)) throw badConfig(`the name of a group must have ${NAME_RULE}, not "${group}"`); // "" is the group of messages without one
    if (broker.endGroup === undefined)
      throw badConfig(`the broker "${name}" cannot end groups; remove "${group}" with its own tools`);
    if (this.subscriptions.some(({ spec }) => spec.topic === topic && spec.group === group))
      throw badConfig(
        `this process subscribes to "${topic}" as the group "${group}"; end a group only after its last subscription`,
      );
    return await broker.endGroup(topic, group);
  }

  /** Begins to connect; the app's start does not wait for the broker. Subscriptions keep the process running until `close`, because an unavailable broker has no open socket. */
  begin(): void {
    if (this.parts.isConsuming && this.subscriptions.length > 0) this.releaseProcess = keepAlive();
    this.starting = this.declareAndStart();
    this.cancelLag = this.parts.clock.every(LAG_MS, () => void this.readLag());
  }

  status(): readonly SubscriptionStatus[] {
    const { name } = this;
    return this.subscriptions.map(
      ({ spec, counts, state, reason, ongoingFailure, isLimited, inFlight, lag }) => ({
        ...counts,
        broker: name,
        topic: String(spec.topic),
        group: spec.group,
        state,
        reason: state === "running" ? ongoingFailure : (this.topologyProblem ?? reason),
        isLimited,
        inFlight,
        lag,
      }),
    );
  }

  /** Returns details for operators. @throws with the reasons if the broker does not respond, its topology has problems, or a subscription is not working */
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
            `the subscription "${label}" is stalled: ${overdue} messages are due, and none was received for ${Math.round(stalledMs / 1000)} s`,
        ),
      ...this.subscriptions.flatMap(({ label, lastingFailure }) =>
        lastingFailure === null ? [] : [`the subscription "${label}": ${lastingFailure}`],
      ),
    ];
    if (reasons.length > 0) throw new Error(`messaging ${this.name}: ${reasons.join("; ")}`);
    const unsent = this.parts.outbox?.ongoingFailure ?? null;
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
    try {
      await allEnded(this.subscriptions.map((subscription) => subscription.stop(until)));
    } finally {
      cancel();
    }
  }

  /** Closes the broker. Until then requests receive their replies, including requests that other features make while they drain. */
  async close(): Promise<void> {
    this.hasClosed = true;
    try {
      await this.inbox?.close();
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
    for (let pauseMs = FIRST_PAUSE_MS; !signal.aborted; pauseMs = Math.min(pauseMs * 2, MAX_PAUSE_MS)) {
      if (await this.declare()) break;
      await pause(this.parts.clock, pauseMs, signal);
    }
    if (signal.aborted) return;
    for (const subscription of this.subscriptions) subscription.start();
  }

  /** Declares the topology. Returns whether it has no problems. */
  private async declare(): Promise<boolean> {
    const { broker, topologyMode, log, name } = this.parts;
    const { signal } = this.ending;
    const lastProblem = this.topologyProblem;
    const problems =
      topologyMode === "off"
        ? []
        : await untilAborted(topologyProblems(broker, this.topology(), topologyMode, signal), signal).catch(
            () => null, // the app stops: an unavailable broker may respond much later
          );
    if (problems === null) return false;
    this.topologyProblem = problems.length === 0 ? null : problems.join("; ");
    if (this.topologyProblem !== null && this.topologyProblem !== lastProblem)
      log.warn(`messaging: the broker "${name}" is not ready; trying again`, {
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

/** Returns the mistakes of a subscription that depend on the capabilities of its broker. */
export const brokerProblems = (
  spec: SubscriptionSpec,
  { name, adapter }: EnabledBroker,
): readonly Problem[] => {
  const { capabilities } = adapter;
  const label = `${String(spec.topic)} ${spec.group}`;
  const rules: readonly (readonly [boolean, string])[] = [
    [
      spec.order === "none" || capabilities.orders.includes(spec.order),
      `does not support order: "${spec.order}"`,
    ],
    [!(spec.topic instanceof RegExp) || capabilities.patterns, "does not support subscriptions to patterns"],
    [spec.from === "earliest" || capabilities.replay, 'does not support from: "latest"; leave it out'],
    [
      spec.prefetch === null || spec.prefetch >= spec.batch.size || capabilities.settlement === "cumulative",
      "delivers at most `prefetch` messages, so a batch would never fill; prefetch must be at least batch.size",
    ],
  ];
  return rules
    .filter(([isValid]) => !isValid)
    .map(([, rule]) => ({
      code: "MESSAGING_BAD_CONFIG",
      message: `messaging: subscription "${label}": the broker "${name}" (${adapter.name}) ${rule}`,
    }));
};
