import { expectContractToCatch, type PortContract, type PortFixture } from "../testing.ts";

interface Store {
  get(): number;
}
declare const storeContract: PortContract<PortFixture<Store>>;
const broken: Store = { get: () => 0 };

await expectContractToCatch(storeContract, () => ({ views: [broken, broken], advance: () => {} }));
await expectContractToCatch(storeContract, async () => ({ views: [broken, broken], advance: () => {} }));
// @ts-expect-error a store without its members
await expectContractToCatch(storeContract, () => ({ views: [{}, {}], advance: () => {} }));
