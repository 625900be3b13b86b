import type { Awaitable, Logger } from "@framework/core";
import type { Clock } from "@framework/core/feature";
import type { Outcomes } from "../message/outcome.ts";
import type { Consumer } from "../port/broker-adapter.ts";
import type { Capabilities } from "../port/capabilities.ts";
import type { ConsumerState } from "../port/sink.ts";
import type { MessageRetry } from "../subscribe/message-retry.ts";
import type { ConsumeCounts } from "./consume-counts.ts";
import type { Entry } from "./entry.ts";
import type { RateGate } from "./rate-gate.ts";
import type { RetryTopic } from "./retry-topics.ts";
import type { Troubles } from "../waiting/troubles.ts";

/** Where a delayed try waits at the broker, and for how long. */
export interface Postponement {
  readonly topic: string;
  readonly delayMs: number;
}

/** What the flow of a subscription needs. */
export interface FlowParts {
  readonly clock: Clock;
  readonly random: () => number;
  readonly log: Logger;
  readonly capabilities: Capabilities;
  readonly consumer: () => Consumer;
  readonly counts: ConsumeCounts;
  readonly order: "none" | "key" | "partition";
  readonly concurrency: number;
  readonly prefetch: number;
  readonly timeoutMs: number;
  readonly retry: MessageRetry;
  /** Entries of one call; 1 for handlers of single messages. */
  readonly batch: { readonly size: number; readonly waitMs: number };
  /** Limits how many calls begin; `null` for no limit. `due` is called when more may begin. */
  readonly rate: ((due: () => void) => RateGate) | null;
  /** Makes one try with entries that run together. Never throws. */
  readonly attempt: (entries: readonly Entry[]) => Awaitable<Outcomes>;
  /** Prepares a new entry: its tries so far, and how long it must wait. */
  readonly prepare: (entry: Entry) => { readonly waitMs: number };
  /** Stores a dead letter; resolves when it is safe and the delivery may be settled, `true` when it was settled too. Repeats until then. */
  readonly bury: (entry: Entry, error: unknown, signal: AbortSignal) => Promise<boolean>;
  /** Topics for delayed tries. */
  readonly retryTopics: readonly RetryTopic[];
  /** Sends an entry to one of them; resolves with `false` when the broker refuses it for good. */
  readonly postpone: (entry: Entry, to: Postponement, signal: AbortSignal) => Promise<boolean>;
  /** Has the reasons of what fails and is tried again. */
  readonly troubles: Troubles;
  readonly stateChanged: (state: ConsumerState, reason: string | null) => void;
}
