import type { AnySaga, EngineParts } from "@framework/saga/feature";
import type { SagaStart } from "../script/progress.ts";
import type { Slots } from "./slots.ts";

/** Topic of the messages and decisions for an instance. */
export const LETTERS = "saga";

/** What performs the effects of one instance. */
export interface Performer {
  readonly definition: AnySaga;
  readonly parts: EngineParts;
  readonly slots: Slots;
  /** Names of the effects that a lost process has begun. */
  readonly begun: ReadonlySet<string>;
  /** Aborts when the process ends. */
  readonly stopping: AbortSignal;
}

/** A workflow of DBOS that runs a version of a saga. */
export type RunSaga = (start: SagaStart) => Promise<string>;
