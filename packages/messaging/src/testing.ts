// For broker packages: the contract suite of adapters, and its parts for further tests.
export { brokerContract } from "./contract/broker-contract.ts";
export type { BrokerFixture } from "./contract/harness/broker-fixture.ts";
export {
  effectsDespiteKills,
  type KillResult,
  type KillPlan,
  subscribeEffects,
} from "./contract/killed-consumers.ts";
export { capabilityColumn, capabilityRows } from "./contract/capability-rows.ts";
export type { DeadLetterRecorder } from "./contract/harness/dead-letter-recorder.ts";
export { expectNothingLost, type FaultPlan, expectNothingTwice } from "./contract/fault-runs.ts";
export {
  deadTopicOf,
  DeliveryRecorder,
  type DeliveryRecorderOptions,
} from "./contract/harness/delivery-recorder.ts";
export {
  type StalledHandlerUsage,
  measureStalledHandler,
  type WaitingPlan,
} from "./contract/stalled-handler.ts";
export { TestApp } from "./contract/harness/test-app.ts";
export { type TestConsumer, TestProcess, TestSink } from "./contract/harness/test-process.ts";
