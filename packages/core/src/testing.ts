// For tests of features and adapters: contract suites, a virtual clock, and the shared state of several workers within one process.
// The declarations use Node's types: this line loads them, so that a program's tsconfig.json need not name them.
/// <reference types="node" preserve="true" />
export {
  type PortContract,
  portContract,
  type PortFact,
  type PortFacts,
  type PortFixture,
  type RegisterTest,
} from "./contract/port-contract.ts";
export { expectContractToCatch } from "./contract/planted-fault.ts";
// Contract suites of core's ports, for adapters in other packages.
export { sharedStateContract } from "./shared-state/contract/shared-state-contract.ts";
export { valuesContract } from "./shared-state/contract/values-contract.ts";
export { permitsContract } from "./shared-state/contract/permits-contract.ts";
export { permitStoreContract } from "./shared-state/contract/permit-store-contract.ts";
export { totalsContract } from "./shared-state/contract/totals-contract.ts";
// Panels of the dev page.
export { panelContract, type PanelFixture } from "./insight/contract/panel-contract.ts";
export { type PanelProbe, panelProbe, type ProbedPanel } from "./feature/panel-probe.ts";
export { virtualClock, type VirtualClock } from "./runtime/virtual-clock.ts";
export { inProcessState, type InProcessStateOptions } from "./shared-state/in-process-state.ts";
export { type MemoryHub, memoryHub, type MemoryLink } from "./shared-state/workers/memory-link.ts";
export { primaryState, type PrimaryStateOptions } from "./shared-state/workers/primary-state.ts";
export { serveSharedState, type ServeSharedStateOptions } from "./shared-state/workers/serve-shared-state.ts";
// Transports: their types, both of core's own, and the parser of the fast one, for `@framework/conformance`.
export { readBody } from "./body/read-body.ts";
export type { Reply } from "./exchange/reply.ts";
export type {
  CloseResult,
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
export { emptyFastHead } from "./transport/fast/fast-head.ts";
