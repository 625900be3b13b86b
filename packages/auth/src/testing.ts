// The contract suite of the store port, for adapters in other packages.
export { tokenStoreContract, type TokenStoreFixture } from "./token-store/token-store-contract.ts";
