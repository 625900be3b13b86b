// Contract suites of core's ports: what an adapter in another package has to pass.
export { type ContractTest, sharedStateContract } from "./shared-state/contract.ts";
export type { SharedStateFixture } from "./shared-state/contract-fact.ts";
// The state of several workers within one process, for tests of features that use `host.shared`.
export { inProcessState, type InProcessStateOptions } from "./shared-state/in-process-state.ts";
export { type MemoryHub, memoryHub, type MemoryLink } from "./shared-state/memory-link.ts";
export { primaryState, type PrimaryStateOptions } from "./shared-state/primary-state.ts";
export { serveSharedState, type ServeSharedStateOptions } from "./shared-state/serve-shared-state.ts";
