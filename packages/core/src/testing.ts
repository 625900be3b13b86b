// Contract suites of core's ports: what an adapter in another package has to pass.
export { type ContractTest, sharedStateContract } from "./shared-state/contract/contract.ts";
export type { SharedStateFixture } from "./shared-state/contract/contract-fact.ts";
// The state of several workers within one process, for tests of features that use `host.state.shared`.
export { inProcessState, type InProcessStateOptions } from "./shared-state/in-process/in-process-state.ts";
export { type MemoryHub, memoryHub, type MemoryLink } from "./shared-state/workers/memory-link.ts";
export { primaryState, type PrimaryStateOptions } from "./shared-state/workers/primary-state.ts";
export { serveSharedState, type ServeSharedStateOptions } from "./shared-state/workers/serve-shared-state.ts";
// Transports: their contract, both of core's own, and the parser of the fast one, for `@framework/conformance`.
export { readBody } from "./body/read-body.ts";
export type { Clock } from "./exchange/clock.ts";
export type { Reply } from "./exchange/reply.ts";
export type {
  Closed,
  ListenAddress,
  Reject,
  Serve,
  Transport,
  TransportOptions,
  TransportTls,
} from "./exchange/transport.ts";
export { createFastTransport } from "./transport/fast-transport.ts";
export { createNodeTransport } from "./transport/node-transport.ts";
export { FastInput } from "./transport/fast/fast-input.ts";
export { emptyFastHead } from "./transport/fast/fast-request-head.ts";
