import type { SagaContext, StepContext, UndoContext } from "../definition/context.ts";
import type { AnySaga } from "../definition/definition.ts";
import type { SendingContext, MessageSender } from "../definition/send-work.ts";
import { type Branch, branchesOf, type Step } from "../definition/step.ts";
import { branchAt, type Instance } from "../store/instance.ts";
import { valueIn } from "../store/json-value.ts";

/** Returns the context for conditions. */
export const sagaContext = (definition: AnySaga, saga: Instance): SagaContext => ({
  id: saga.id,
  key: saga.key,
  input: valueIn(saga.input),
  outputs: outputsOf(definition, saga),
});

/** One attempt at a step or its undo, from which `stepContext` creates the context. */
export interface AttemptParts {
  /** The step of the attempt. */
  readonly step: Step;
  /** The work of the attempt. */
  readonly branch: Branch;
  /** Number of the attempt, from 1. */
  readonly attempt: number;
  /** Aborts when the attempt must end. */
  readonly signal: AbortSignal;
  /** The app's message sender; `null` if there is none. */
  readonly sender: MessageSender | null;
  /** Whether the attempt undoes the step. */
  readonly isUndo?: boolean;
}

/** Returns the context of an attempt at a step or its undo. */
export const stepContext = (
  definition: AnySaga,
  saga: Instance,
  parts: AttemptParts,
): StepContext | UndoContext => {
  const { step, branch, attempt, signal, sender, isUndo = false } = parts;
  const context: SendingContext = {
    ...sagaContext(definition, saga),
    idempotencyKey: idempotencyKey(saga.id, step, branch, isUndo),
    attempt,
    signal,
    sender,
  };
  return isUndo ? { ...context, stepKey: idempotencyKey(saga.id, step, branch, false) } : context;
};

/** Returns the idempotency key of a step or of its undo, the same for all attempts. */
export const idempotencyKey = (
  id: string,
  step: Pick<Step, "name">,
  branch: Pick<Branch, "name">,
  isUndo: boolean,
): string => [id, step.name, branch.name, isUndo ? "undo" : ""].filter((part) => part !== "").join(":");

/** Returns the outputs by step name; without a prototype, because a step may be named `constructor`: before it has an output, the inherited value would be returned. */
export const outputsOf = (definition: AnySaga, saga: Instance): Readonly<Record<string, unknown>> => {
  const outputs = Object.create(null) as Record<string, unknown>;
  for (const [position, step] of definition.steps.entries()) {
    if (step.kind === "pivot" || step.kind === "sleep") continue;
    const branches = branchesOf(step);
    if (branches.length > 0 && branches[0]?.name !== "") {
      const each = branches.map(({ name }) => [name, outputAt(saga, position, name)] as const);
      if (each.some(([, output]) => output !== undefined)) outputs[step.name] = Object.fromEntries(each);
    } else {
      const output = outputAt(saga, position, "");
      if (output !== undefined) outputs[step.name] = output;
    }
  }
  return outputs;
};

/** Returns the output of finished work. While a branch is retried, the output of an attempt that returned after its time limit does not count. */
const outputAt = (saga: Instance, position: number, branch: string): unknown => {
  const state = branchAt(saga, position, branch);
  return state === undefined || state.status === "started" || state.status === "retrying"
    ? undefined
    : valueIn(state.output);
};
