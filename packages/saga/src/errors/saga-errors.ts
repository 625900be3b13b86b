import { FrameworkError, HttpError } from "@framework/core";
import { nearest } from "@framework/core/feature";

/** The saga was changed, or taken over by another worker, before this change. */
export const staleSaga = (id: string): FrameworkError =>
  new FrameworkError("SAGA_STALE", `saga: ${id} was changed or taken over meanwhile`);

/** The table of transitions does not allow a change. */
export const illegalTransition = (status: string, event: string): FrameworkError =>
  new FrameworkError("SAGA_ILLEGAL", `saga: a saga that is ${status} cannot ${event}`);

/** An attempt exceeded its time limit. */
export const stepTimeout = (step: string, ms: number): FrameworkError =>
  new FrameworkError("SAGA_STEP_TIMEOUT", `saga: the step "${step}" took longer than ${ms} ms`);

/** The forward steps in total, or a wait, exceeded the time limit. */
export const sagaTimeout = (subject: string, ms: number): FrameworkError =>
  new FrameworkError("SAGA_TIMEOUT", `saga: ${subject} took longer than ${ms} ms`);

/** A worker was lost during an attempt at a step with `onUnknown: "manual"`. */
export const unknownOutcome = (step: string): FrameworkError =>
  new FrameworkError(
    "SAGA_UNKNOWN_OUTCOME",
    `saga: a worker was lost during the step "${step}"; find out whether it took effect, then retry, settle or cancel`,
  );

/** Too many workers were lost while they ran one saga. */
export const workersLost = (count: number): FrameworkError =>
  new FrameworkError("SAGA_WORKERS_LOST", `saga: ${count} workers were lost while they ran this saga`);

/** A 409 reply: the state of a saga does not allow a request. */
export const notPossible = (problem: string): HttpError =>
  new HttpError(409, problem, { code: "SAGA_NOT_POSSIBLE" });

/** An input, an output, a message or another argument is invalid. */
export const badValue = (problem: string): FrameworkError =>
  new FrameworkError("SAGA_BAD_VALUE", `saga: ${problem}`);

/** The list of steps was changed without a new version. */
export const changedDefinition = (name: string, version: number): FrameworkError =>
  new FrameworkError(
    "SAGA_CHANGED",
    `saga: the steps of "${name}" version ${version} differ from those with which its running instances were started; give the new list a new version`,
  );

/** No version of a saga in this process waits for a message with this name. @param waits names of its waits */
export const unknownWait = (saga: string, wait: string, waits: readonly string[]): FrameworkError => {
  const [near] = nearest(wait, waits, 1);
  const known = waits.length === 0 ? "it has no waitFor" : `it waits for ${[...new Set(waits)].join(", ")}`;
  const hint = near === undefined ? known : `did you mean ${JSON.stringify(near)}?`;
  return new FrameworkError(
    "SAGA_NO_WAIT",
    `saga: "${saga}" never waits for ${JSON.stringify(wait)}; ${hint}`,
  );
};

/** This process does not define a saga of this name and version. */
export const unknownSaga = (name: string, version?: number): FrameworkError =>
  new FrameworkError(
    "SAGA_UNKNOWN",
    `saga: this process does not define "${name}"${version === undefined ? "" : ` version ${version}`}; call app.saga.define`,
  );
