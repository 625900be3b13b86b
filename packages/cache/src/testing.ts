// The contract of the store port: what an adapter in another package has to pass.
export { cacheStoreContract, type CacheStoreFixture, type ContractTest } from "./store-contract.ts";
