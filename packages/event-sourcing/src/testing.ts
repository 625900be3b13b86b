// For tests of applications and of store adapters.
export { eventStoreContract } from "./contract/event-store-contract.ts";
export type { EventStoreFixture } from "./contract/store-fixture.ts";
export {
  type RunOptions,
  type StreamPosition,
  streamTimeMachine,
  type StreamTimeMachine,
  type StreamTimeMachineOptions,
  type ViewTable,
} from "./time-machine/stream-time-machine.ts";
export { given, type GivenEvents, type Outcome } from "./specification/specification.ts";
