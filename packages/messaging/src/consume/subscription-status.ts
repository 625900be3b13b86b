import type { ConsumeCounts } from "./consume-counts.ts";
import type { ConsumerState } from "../port/sink.ts";

/** A subscription of this process. */
export interface SubscriptionStatus extends Readonly<ConsumeCounts> {
  /** Name of the broker in the app. */
  readonly broker: string;
  /** Topic, or the text of a pattern. */
  readonly topic: string;
  /** Group of its consumers. */
  readonly group: string;
  /** State of the consumer: `connecting` until it gets messages. */
  readonly state: ConsumerState;
  /** Why it is not running, or what fails and is tried again, such as a dead letter that cannot be stored; for operators. `null` when all is well. */
  readonly reason: string | null;
  /** Whether messages wait because of the subscription's `rate`. */
  readonly isLimited: boolean;
  /** Handlers that run. */
  readonly inFlight: number;
  /** Messages that waited at the broker when it was last asked; `null` when unknown. On the database 100,000 stands for that many and more. */
  readonly lag: number | null;
}
