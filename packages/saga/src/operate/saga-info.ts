import type { StoredFailure } from "@framework/durable/feature";
import type { BranchStatus } from "../store/instance.ts";
import type { SagaStatus } from "../transitions/transitions.ts";

/** An instance in a list. Times are Unix milliseconds, by the database's clock. */
export interface SagaSummary {
  /** Id of the instance. */
  readonly id: string;
  /** Name of the saga. */
  readonly name: string;
  /** Version of its list of steps. */
  readonly version: number;
  /** Key with which it was started. */
  readonly key: string;
  /** Status of the instance. */
  readonly status: SagaStatus;
  /** Index of the next step, from 0. */
  readonly position: number;
  /** Name of the message for which it waits; `null` outside `waitFor`. */
  readonly waitsFor: string | null;
  /** When the wait or sleep ends; `null` outside one. */
  readonly waitUntil: number | null;
  /** The failure that paused or compensated the saga, or made it stuck; `null` if there is none. */
  readonly error: StoredFailure | null;
  /** When it was started. */
  readonly createdAt: number;
  /** When it last changed. */
  readonly updatedAt: number;
  /** When it was completed or compensated; `null` before. */
  readonly finishedAt: number | null;
}

/** An instance with its steps. */
export interface SagaInfo extends SagaSummary {
  /** Input of the instance. */
  readonly input: unknown;
  /** `traceparent` of the operation that started it; `null` if there is none. */
  readonly trace: string | null;
  /** Its steps that have begun or were skipped, in order; a `parallel` step has one entry per branch. */
  readonly steps: readonly StepInfo[];
}

/** State of one branch of a step. */
export interface StepInfo {
  /** Index of the step. */
  readonly position: number;
  /** Name of the step; `null` in a process without the definition. */
  readonly step: string | null;
  /** Name of the branch; empty if the step has only one. */
  readonly branch: string;
  /** Status of the branch. */
  readonly status: BranchStatus;
  /** Number of attempts that have begun. */
  readonly attempts: number;
  /** Number of attempts at the undo. */
  readonly undoAttempts: number;
  /** Output; `undefined` if there is none. */
  readonly output: unknown;
  /** The last failure; `null` if there is none. */
  readonly error: StoredFailure | null;
}

/** One change of an instance. */
export interface TimelineEntry {
  /** Increases with each change. */
  readonly number: number;
  /** Time of the change, in Unix milliseconds. */
  readonly at: number;
  /** An event of the table of transitions, or `start`. */
  readonly event: string;
  /** Status after the change. */
  readonly status: SagaStatus;
  /** Step that the change concerns; `null` for none. */
  readonly step: string | null;
  /** An operator's reason, the message of a failed attempt, or the name of a wait. */
  readonly note: string | null;
}

/** Selects the instances of a list. */
export interface SagaFilter {
  /** Name of the saga. @default all */
  readonly name?: string | undefined;
  /** Status of the instances. @default all */
  readonly status?: SagaStatus | undefined;
  /** Key of the instance. @default all */
  readonly key?: string | undefined;
  /** `next` of the previous page. @default the first page */
  readonly after?: string | undefined;
  /** Maximum number of instances of a page, 1 to 1,000. @default 100 */
  readonly limit?: number | undefined;
}

/** A page of instances. */
export interface SagaPage {
  /** The instances, oldest first. */
  readonly sagas: readonly SagaSummary[];
  /** `after` of the next page; `null` after the last. */
  readonly next: string | null;
}
