import type { Delivery } from "./delivery.ts";

/** State of a consumer: `connecting` until it can receive messages, and again after a failure. */
export type ConsumerState = "connecting" | "running" | "closed";

/**
 * Receives the deliveries of a consumer. Its methods never throw; all but `whenRoom` are synchronous.
 */
export interface Sink {
  /**
   * Number of deliveries that may be delivered now. A pull adapter requests no more from its broker; a push broker is bounded by `prefetch` instead.
   *
   * @param partition with cumulative settlement, the partition; else `null`
   */
  room(partition: string | null): number;
  /** Resolves when there is room again, or when `signal` aborts. */
  whenRoom(partition: string | null, signal: AbortSignal): Promise<void>;
  /**
   * Delivers messages, in the order of the broker. With cumulative settlement, a repeated offset of a partition replaces its earlier delivery and does not run
   * twice.
   */
  deliver(deliveries: readonly Delivery[]): void;
  /**
   * Reports deliveries that this consumer no longer holds, because its channel was closed or its lease has expired. Their handlers are aborted and nothing is
   * settled; the broker delivers them again.
   */
  lost(deliveries: readonly Delivery[]): void;
  /** Reports partitions that this consumer no longer holds: all their deliveries are lost. */
  revoked(partitions: readonly string[]): void;
  /**
   * Whether messaging still processes a delivery. An adapter whose broker needs heartbeats sends them while this is `true`. `false` once the delivery is settled
   * or lost, and while an abandoned handler of it, which ignores its signal, still runs.
   */
  isAlive(delivery: Delivery): boolean;
  /** Like `isAlive`, for a partition with cumulative settlement: `false` while an abandoned handler of it runs. */
  isPartitionAlive(partition: string): boolean;
  /**
   * Reports that a rebalance begins: until `proceed` no handler starts, and finished deliveries are settled at once. Only for adapters with cumulative
   * settlement.
   */
  suspend(): void;
  /** Ends `suspend`: deliveries that were not lost continue. */
  proceed(): void;
  /** Reports the state of the consumer, for readiness and metrics. @param reason why it is not running, for operators, without secrets */
  state(state: ConsumerState, reason?: string): void;
}
