// Contract suites of core's ports: what an adapter in another package has to pass.
export { type ContractTest, sharedStateContract } from "./shared-state/contract/contract.ts";
export type { SharedStateFixture } from "./shared-state/contract/contract-fact.ts";
// The state of several workers within one process, for tests of features that use `host.state.shared`.
export { inProcessState, type InProcessStateOptions } from "./shared-state/in-process/in-process-state.ts";
export { type MemoryHub, memoryHub, type MemoryLink } from "./shared-state/workers/memory-link.ts";
export { primaryState, type PrimaryStateOptions } from "./shared-state/workers/primary-state.ts";
export { serveSharedState, type ServeSharedStateOptions } from "./shared-state/workers/serve-shared-state.ts";
