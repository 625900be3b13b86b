// The contract of the store port: what an adapter in another package has to pass.
export { cacheStoreContract } from "./store/store-contract.ts";
