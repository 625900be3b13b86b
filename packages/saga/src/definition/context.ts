/** A saga instance, as passed to conditions and to the functions of steps. */
export interface SagaContext<Input = unknown, Outputs = unknown> {
  /** Id of the instance. */
  readonly id: string;
  /** Key with which the instance was started. */
  readonly key: string;
  /** Input of the saga, as its schema returns it, after a JSON round trip. */
  readonly input: Input;
  /** Outputs of the previous steps, by name. */
  readonly outputs: Outputs;
}

/** Context of one attempt at a step. */
export interface StepContext<Input = unknown, Outputs = unknown> extends SagaContext<Input, Outputs> {
  /**
   * Idempotency key, the same for every attempt at this step, or branch of a `parallel` step, in any process: send it to the other service as
   * `Idempotency-Key`. An undo has a different key, because services reject two different requests with one key.
   */
  readonly idempotencyKey: string;
  /** Number of this attempt, from 1. If a process is lost during an attempt, the repeated attempt has the same number. */
  readonly attempt: number;
  /**
   * Aborts at the time limit of the attempt, when the saga is cancelled or taken over, and when the process stops. Pass it to the calls of the step: the next
   * attempt and the undo wait until this one has ended, for at most ten seconds after its time limit.
   */
  readonly signal: AbortSignal;
}

/** Context of one attempt at an undo. */
export interface UndoContext<Input = unknown, Outputs = unknown> extends StepContext<Input, Outputs> {
  /** The `idempotencyKey` of the step to undo: it identifies the effect even if the step's output is unknown. */
  readonly stepKey: string;
}
