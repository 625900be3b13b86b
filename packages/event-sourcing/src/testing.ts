// For tests of programs, and of adapters of the store.
export { eventStoreContract } from "./contract/event-store-contract.ts";
export type { EventStoreFixture } from "./contract/store-fixture.ts";
export { given, type GivenEvents, type Outcome } from "./specification/specification.ts";
