import type { StoredFailure } from "@framework/durable/feature";
import type { BranchStatus } from "../store/instance.ts";
import type { SagaStatus } from "../transitions/transitions.ts";

/** An instance in a list; times are milliseconds since 1970, by the database's clock. */
export interface SagaSummary {
  /** Id of the instance. */
  readonly id: string;
  /** Name of the saga. */
  readonly name: string;
  /** Version of its list of steps. */
  readonly version: number;
  /** Key that it was started with. */
  readonly key: string;
  /** Where it is. */
  readonly status: SagaStatus;
  /** Index of the step that is next, from 0. */
  readonly position: number;
  /** Message that it waits for; `null` outside of `waitFor`. */
  readonly waitsFor: string | null;
  /** When the wait or sleep ends; `null` outside of one. */
  readonly waitUntil: number | null;
  /** The failure that paused, undid or stopped it; `null` without one. */
  readonly error: StoredFailure | null;
  /** When it was started. */
  readonly createdAt: number;
  /** When it last changed. */
  readonly updatedAt: number;
  /** When it was completed or compensated; `null` before. */
  readonly finishedAt: number | null;
}

/** An instance with what its steps did. */
export interface SagaInfo extends SagaSummary {
  /** Its input. */
  readonly input: unknown;
  /** `traceparent` of the work that started it; `null` without one. */
  readonly trace: string | null;
  /** Its steps that began, in order; a step that runs side by side has one entry for each branch. */
  readonly steps: readonly StepInfo[];
}

/** What one branch of a step did. */
export interface StepInfo {
  /** Index of the step. */
  readonly position: number;
  /** Name of the step; `null` in a process without the definition. */
  readonly step: string | null;
  /** Name of the branch; empty for a step with one. */
  readonly branch: string;
  /** Where it is. */
  readonly status: BranchStatus;
  /** Attempts that began. */
  readonly attempts: number;
  /** Attempts at its undo. */
  readonly undoAttempts: number;
  /** What it returned; `undefined` without one. */
  readonly output: unknown;
  /** Its last failure; `null` without one. */
  readonly error: StoredFailure | null;
}

/** One change of an instance. */
export interface TimelineEntry {
  /** Grows with each change. */
  readonly number: number;
  /** When it was. */
  readonly at: number;
  /** What happened: an event of the table of transitions, or `start`. */
  readonly event: string;
  /** Status after it. */
  readonly status: SagaStatus;
  /** Step that it was about; `null` for none. */
  readonly step: string | null;
  /** An operator's reason, the message of a failed attempt, or the name of a wait. */
  readonly note: string | null;
}

/** Which instances to list. */
export interface SagaFilter {
  /** Name of the saga. @default all */
  readonly name?: string | undefined;
  /** Status of the instances. @default all */
  readonly status?: SagaStatus | undefined;
  /** Key of the instance. @default all */
  readonly key?: string | undefined;
  /** `next` of the page before. @default from the first */
  readonly after?: string | undefined;
  /** 1 to 1,000. @default 100 */
  readonly limit?: number | undefined;
}

/** A page of instances. */
export interface SagaPage {
  /** The instances found, oldest first. */
  readonly sagas: readonly SagaSummary[];
  /** `after` of the next page; `null` after the last. */
  readonly next: string | null;
}
