// For packages of brokers: the suite that every adapter passes.
export { brokerContract } from "./contract/broker-contract.ts";
export type { BrokerFixture } from "./contract/broker-fixture.ts";
