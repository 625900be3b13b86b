import { FrameworkError } from "@framework/core";
import type { EventStore } from "@framework/event-sourcing";

/** Optional methods of features composed before this one. */
export interface OtherFeatures {
  /** Of `@framework/event-sourcing`. @throws EVENTS_NOT_ENABLED */
  readonly eventStore?: EventStore;
  /** Of `@framework/cache`. */
  invalidateCache?(tags: readonly string[]): Promise<number>;
}

/** Returns the event store of an app; `null` if the feature is not composed before this one, or not enabled. */
export const eventStoreOf = (needs: OtherFeatures): EventStore | null => {
  try {
    return needs.eventStore ?? null;
  } catch (error) {
    if (FrameworkError.is(error) && error.code === "EVENTS_NOT_ENABLED") return null;
    throw error;
  }
};
