import type { ConsumeCounts } from "./consume-counts.ts";
import type { ConsumerState } from "../port/sink.ts";

/** State and counters of a subscription in this process. */
export interface SubscriptionStatus extends Readonly<ConsumeCounts> {
  /** Name of the broker in the app. */
  readonly broker: string;
  /** Topic, or the text of a pattern. */
  readonly topic: string;
  /** Group of its consumers. */
  readonly group: string;
  /** State of the consumer: `connecting` until it can receive messages. */
  readonly state: ConsumerState;
  /** For operators: why it is not running, or which failure is being retried, such as a dead letter that cannot be stored. `null` if there is no problem. */
  readonly reason: string | null;
  /** Whether messages wait because of the subscription's `rate`. */
  readonly isLimited: boolean;
  /** Number of running handlers, without abandoned ones; a batch counts once. */
  readonly inFlight: number;
  /** Messages waiting at the broker at the last reading; `null` when unknown. On the database 100,000 means 100,000 or more. */
  readonly lag: number | null;
}
