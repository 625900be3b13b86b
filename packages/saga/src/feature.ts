// For authors of runners on other engines: definitions as data, and the pure rules shared by all runners.
export type { AnySaga } from "./definition/definition.ts";
export { SagaRegistry } from "./definition/registry.ts";
export type { MessageSender } from "./definition/send-work.ts";
export {
  type Branch,
  branchesOf,
  type CallStep,
  type Condition,
  type OnUnknown,
  type PivotStep,
  type SleepStep,
  type Step,
  type TxStep,
  type WaitStep,
  type Work,
} from "./definition/step.ts";
export {
  changedDefinition,
  workersLost,
  notPossible,
  sagaTimeout,
  stepTimeout,
  unknownOutcome,
  unknownSaga,
} from "./errors/saga-errors.ts";
export { type AttemptEnd, type Insight, noInsight, type ObservedAttempt } from "./insight/insight.ts";
export { MAX_LOST_WORKERS, MAX_MESSAGES, MAX_WAIT_MS } from "./limits.ts";
export { checkedMessage } from "./messages/deliver.ts";
export { checkedReason, decisionChange, type Verb } from "./operate/verbs.ts";
export type { EngineParts, OpenEngine, SagaEngine } from "./port/saga-engine.ts";
export { attemptAt, intents, isSettled, newBranch, skippedBranches } from "./run/arrive.ts";
export { type AttemptParts, sagaContext, stepContext } from "./run/context-of.ts";
export { checkedOutcome } from "./run/checked-outcome.ts";
export { contextPerRun } from "./run/context-per-run.ts";
export { retryOf, undoRetry } from "./run/retries.ts";
export type { RunLimits } from "./run/runner-parts.ts";
export { failureText, stepLabel } from "./run/saga-run.ts";
export { checkStep, doStep, noScopes, type StepCall, type StepScopes, undoStep } from "./run/step-calls.ts";
export { type UndoTarget, undoPlan } from "./run/undo-plan.ts";
export { abandonedCall, type AttemptLimits, withinLimit } from "./run/within-limit.ts";
export { checkedInput, checkKey, storedTrace } from "./start/start.ts";
export type { Change } from "./store/change.ts";
export {
  type BranchState,
  type BranchStatus,
  branchAt,
  type Instance,
  withBranches,
} from "./store/instance.ts";
export { jsonValue, valueIn } from "./store/json-value.ts";
export { isEnd, isUndoing, type SagaEvent, statusAfter } from "./transitions/transitions.ts";
