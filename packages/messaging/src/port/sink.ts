import type { Delivery } from "./delivery.ts";

/** State of a consumer: it connects (again), it gets messages, or it was closed. */
export type ConsumerState = "connecting" | "running" | "closed";

/**
 * The end of a consumer in messaging: takes deliveries, and says how many it can take. Its members never throw, and work synchronously.
 */
export interface Sink {
  /**
   * Number of deliveries that may be handed over now. An adapter that asks its broker for messages asks for no more. A push broker is bounded by `prefetch`
   * instead.
   *
   * @param partition with cumulative settlement: the room of this partition's window
   */
  room(partition: string | null): number;
  /** Resolves when there is room again, or when `signal` aborts. */
  whenRoom(partition: string | null, signal: AbortSignal): Promise<void>;
  /**
   * Hands messages over, in the order of the broker. With cumulative settlement, offsets of a partition that were handed over before are known, and take
   * the place of the earlier deliveries: nothing runs twice.
   */
  deliver(deliveries: readonly Delivery[]): void;
  /**
   * Deliveries that this consumer does not hold any more: its channel was closed, its lease ended. Their handlers are aborted and nothing is settled; the
   * broker delivers them again.
   */
  lost(deliveries: readonly Delivery[]): void;
  /** Partitions that this consumer does not hold any more: as `lost`, for everything of them. */
  revoked(partitions: readonly string[]): void;
  /**
   * Whether messaging still works on a delivery. An adapter whose broker asks for a sign of life sends it while this is `true`: it is not once the delivery
   * was settled or lost, nor when its handler ignores its signal after its time limit.
   */
  isAlive(delivery: Delivery): boolean;
  /** The same for a partition with cumulative settlement: `false` once one of its handlers ignores its signal. */
  isPartitionAlive(partition: string): boolean;
  /**
   * The broker is about to share the partitions anew: until `proceed` no handler starts, and what is finished is settled at once. Only adapters with
   * cumulative settlement need it.
   */
  suspend(): void;
  /** Ends `suspend`: what was not lost goes on. */
  proceed(): void;
  /** Tells the state of the consumer, for readiness and metrics. @param reason why it is not running, for operators: without secrets */
  state(state: ConsumerState, reason?: string): void;
}
