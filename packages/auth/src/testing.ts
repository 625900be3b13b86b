// The contract of the store port: what an adapter in another package has to pass.
export { tokenStoreContract, type TokenStoreFixture } from "./token-store/token-store-contract.ts";
