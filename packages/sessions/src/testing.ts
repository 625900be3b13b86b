// The contract suite of the store port, for adapters in other packages.
export { sessionStoreContract, type SessionStoreFixture } from "./store/session-store-contract.ts";
