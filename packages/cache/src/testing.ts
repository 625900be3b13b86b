// Contract suite of the store port, for adapters in other packages.
export { cacheStoreContract } from "./store/store-contract.ts";
