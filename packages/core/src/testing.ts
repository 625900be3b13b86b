// Contract suites of core's ports: what an adapter in another package has to pass.
export { type ContractTest, sharedStateContract } from "./shared-state/contract.ts";
export type { SharedStateFixture } from "./shared-state/contract-fact.ts";
