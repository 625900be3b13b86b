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
import type { OngoingFailures } from "../waiting/ongoing-failures.ts";

/** The retry topic of a delayed try, and its delay. */
export interface Postponement {
  readonly topic: string;
  readonly delayMs: number;
}

/** Dependencies of `Flow`. */
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
  /** Creates the rate limit of calls; `null` for no limit. `onDue` is called when more calls may begin. */
  readonly rate: ((onDue: () => void) => RateGate) | null;
  /** Makes one try with entries that are handled together. Never throws. */
  readonly attempt: (entries: readonly Entry[]) => Awaitable<Outcomes>;
  /** Sets the tries of a new entry and returns how long it must wait. */
  readonly prepare: (entry: Entry) => { readonly waitMs: number };
  /** Stores a dead letter, with retries. Resolves when it is stored: with `true` if the delivery was also settled, with `false` if it must be settled now. */
  readonly deadLetter: (entry: Entry, error: unknown, signal: AbortSignal) => Promise<boolean>;
  /** Retry topics. */
  readonly retryTopics: readonly RetryTopic[];
  /** Sends an entry to a retry topic. Resolves with `false` when the broker refuses it permanently. */
  readonly postpone: (entry: Entry, to: Postponement, signal: AbortSignal) => Promise<boolean>;
  /** Failures of work that is being retried. */
  readonly failures: OngoingFailures;
  readonly onStateChange: (state: ConsumerState, reason: string | null) => void;
}
