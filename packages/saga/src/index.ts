export { sagas, type SagaMethods, type Sagas } from "./saga-feature.ts";
export { SagaConfig } from "./saga-config.ts";
export { saga } from "./definition/saga.ts";
export type { SagaBuilder } from "./definition/saga-builder.ts";
export type { SagaContext, StepContext, UndoContext } from "./definition/context.ts";
export type { AnySaga, SagaDefinition, StartInput } from "./definition/definition.ts";
export type { Duration } from "./definition/duration.ts";
export type {
  AttemptOptions,
  CallBranch,
  CallOptions,
  CallRun,
  InjectOption,
  MakeBranch,
  MessageToSend,
  StepFunction,
  TxOptions,
  TxRun,
  WaitOptions,
} from "./definition/step-options.ts";
export type { StoredOutput } from "./definition/stored.ts";
export { SagaReject } from "./errors/saga-reject.ts";
export { type FailureClass, failureClass } from "./run/failure-class.ts";
export type { DeliveryResult, SagaMessage } from "./messages/deliver.ts";
export type {
  SagaFilter,
  SagaInfo,
  SagaPage,
  SagaSummary,
  StepInfo,
  TimelineEntry,
} from "./operate/saga-info.ts";
export type { Decision } from "./operate/verbs.ts";
export type { EngineParts, OpenEngine, SagaEngine } from "./port/saga-engine.ts";
export type { SagaRunner } from "./port/saga-runner.ts";
export type { StartResult, StartOptions } from "./start/start.ts";
export type { SagaStatus } from "./transitions/transitions.ts";
export { sagaErrors } from "./error-codes.ts";
