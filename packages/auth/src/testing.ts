// The contract of the store port: what an adapter in another package has to pass.
export {
  type ContractTest,
  tokenStoreContract,
  type TokenStoreFixture,
} from "./token-store/token-store-contract.ts";
