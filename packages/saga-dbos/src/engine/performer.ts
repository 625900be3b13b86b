import type { AnySaga, EngineParts } from "@framework/saga/feature";
import type { SagaStart } from "../script/progress.ts";
import type { Slots } from "./slots.ts";

/** DBOS topic of the inputs of an instance. */
export const INPUT_TOPIC = "saga";

/** Dependencies for performing the effects of one instance. */
export interface Performer {
  readonly definition: AnySaga;
  readonly parts: EngineParts;
  readonly slots: Slots;
  /** Names of the effects that a lost process may have begun. */
  readonly mayHaveBegun: ReadonlySet<string>;
  /** Aborts when the process stops. */
  readonly stopping: AbortSignal;
}

/** A DBOS workflow that runs a version of a saga. */
export type RunSaga = (start: SagaStart) => Promise<string>;
