// The contract of the store port: what an adapter in another package has to pass.
export { type ContractTest, rateLimitStoreContract, type RateLimitStoreFixture } from "./store-contract.ts";
