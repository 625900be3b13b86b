import type { Logger, Middleware } from "@framework/core";
import type { Clock, Host, Operations, PermitStore } from "@framework/core/feature";
import type { Transaction } from "@framework/database";
import type { DeadDelivery } from "../dead-letter/dead-letters.ts";
import type { DatabaseInbox } from "../inbox/database-inbox.ts";
import type { Message } from "../message/message.ts";
import type { Outcome } from "../message/outcome.ts";
import type { Broker } from "../port/broker-adapter.ts";
import type { Capabilities } from "../port/capabilities.ts";
import type { ReplyParts } from "../request/replies.ts";
import type { Sender } from "../send/sender.ts";
import { maxHeld } from "../subscribe/message-rate.ts";
import type { SubscriptionSpec } from "../subscribe/subscription-spec.ts";
import type { MessageLimits } from "./open-message.ts";
import { RateGate } from "./rate-gate.ts";
import { retryTopicsOf } from "./retry-topics.ts";

/** Dependencies of `RunningSubscription`. */
export interface SubscriptionParts extends MessageLimits {
  readonly spec: SubscriptionSpec;
  readonly broker: Broker;
  readonly brokerName: string;
  /** Technology of the broker, as OpenTelemetry names it. */
  readonly system: string;
  readonly capabilities: Capabilities;
  readonly sender: Sender;
  readonly state: Host["state"];
  /** Permit store of rates. */
  readonly permits: PermitStore;
  readonly operations: Operations<Message>;
  readonly middleware: readonly Middleware<Message, Outcome>[];
  readonly clock: Clock;
  readonly random: () => number;
  readonly log: Logger;
  /** Parks a dead letter in the database, with its settlement if the broker supports that; `null` if dead letters are sent to a topic. */
  readonly park:
    | ((dead: DeadDelivery, settleIn: ((tx: Transaction) => Promise<void>) | null) => Promise<void>)
    | null;
  /** Parks a dead letter that the broker refuses; `null` if the app parks none. */
  readonly parkRefused: SubscriptionParts["park"];
  /** Topic of dead letters if `park` is `null`. */
  readonly deadLetterTopic: string;
  readonly inbox: DatabaseInbox | null;
  readonly replies: ReplyParts;
  readonly isPrivate: boolean;
}

/** Default `prefetch` on a log, whose broker does not track the deliveries that a process holds. */
const LOG_PREFETCH = 1000;

/** Returns the maximum number of deliveries that a process holds; on a log, of each partition. */
export const prefetchOf = ({ spec, capabilities }: SubscriptionParts): number => {
  if (spec.prefetch !== null) return spec.prefetch;
  if (capabilities.settlement === "cumulative") return LOG_PREFETCH;
  const max = spec.rate === null ? Infinity : maxHeld(spec.rate, spec.batch.size);
  return Math.min(Math.max(2 * spec.concurrency, 2 * spec.batch.size), max);
};

/** Returns a factory of the subscription's rate gate; `null` for no limit. */
export const rateOf = (parts: SubscriptionParts): ((onDue: () => void) => RateGate) | null => {
  const { spec, brokerName, permits, clock, log } = parts;
  const { rate, topic, group } = spec;
  if (rate === null) return null;
  const name = `${brokerName} ${String(topic)} ${group}`;
  return (onDue) => new RateGate({ rate, name, permits, clock, log, onDue });
};

/** Returns the topics that the subscription consumes, including retry topics. */
export const topicsOf = ({ spec, capabilities }: SubscriptionParts): readonly string[] => {
  if (typeof spec.topic !== "string") return [];
  return [spec.topic, ...retryTopicsOf(spec, capabilities).map(({ topic }) => topic)];
};
