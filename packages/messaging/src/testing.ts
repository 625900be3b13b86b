// For packages of brokers: the suite that every adapter passes, and parts of it for tests of their own.
export { brokerContract } from "./contract/broker-contract.ts";
export type { BrokerFixture } from "./contract/broker-fixture.ts";
export {
  effectsDespiteKills,
  type EffectsOfKilled,
  type KillPlan,
  subscribeEffects,
} from "./contract/killed-consumers.ts";
export { capabilityColumn, capabilityRows } from "./contract/capability-rows.ts";
export type { DeadLedger } from "./contract/dead-ledger.ts";
export { expectNothingLost, type HarmPlan, expectNothingTwice } from "./contract/harmed-broker.ts";
export { deadTopicOf, Ledger, type LedgerOptions } from "./contract/ledger.ts";
export {
  type HeldByStalledHandler,
  heldByStalledHandler,
  type WaitingPlan,
} from "./contract/stalled-handler.ts";
export { TestApp } from "./contract/test-app.ts";
export { type TestConsumer, TestProcess, TestSink } from "./contract/test-process.ts";
