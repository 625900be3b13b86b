/** A saga as its conditions and messages see it. */
export interface SagaContext<Input = unknown, Outputs = unknown> {
  /** Id of the instance. */
  readonly id: string;
  /** Key that the instance was started with. */
  readonly key: string;
  /** Input of the saga, as its schema returns it. */
  readonly input: Input;
  /** Outputs of the steps before this one, by name. */
  readonly outputs: Outputs;
}

/** A saga as one attempt at a step sees it. */
export interface StepContext<Input = unknown, Outputs = unknown> extends SagaContext<Input, Outputs> {
  /**
   * The same for every attempt at this step, in any process: send it to the other service as `Idempotency-Key`. An undo has a key of its own, because services
   * refuse one key with two requests.
   */
  readonly idempotencyKey: string;
  /** Number of this attempt, from 1. An attempt whose process was lost has the same number when it is repeated. */
  readonly attempt: number;
  /**
   * Aborts at the time limit of the attempt, when the saga is cancelled or taken over, and when the process ends. Give it to what the step calls: the next attempt
   * and the undo begin when this one has ended, or ten seconds after its time limit.
   */
  readonly signal: AbortSignal;
}

/** A saga as one attempt at an undo sees it. */
export interface UndoContext<Input = unknown, Outputs = unknown> extends StepContext<Input, Outputs> {
  /** The `idempotencyKey` that the attempts at the undone step had: it names the effect to undo, also when the step's output is unknown. */
  readonly stepKey: string;
}
