// For packages of brokers: the suite that every adapter passes, and parts of it for tests of their own.
export { brokerContract } from "./contract/broker-contract.ts";
export type { BrokerFixture } from "./contract/broker-fixture.ts";
export { Ledger } from "./contract/ledger.ts";
export { TestApp } from "./contract/test-app.ts";
export { type TestConsumer, TestProcess, TestSink } from "./contract/test-process.ts";
