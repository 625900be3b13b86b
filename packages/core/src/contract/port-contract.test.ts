import assert from "node:assert/strict";
import { expect, test } from "@jest/globals";
import { expectContractToCatch } from "./planted-fault.ts";
import { portContract } from "./port-contract.ts";

interface Store {
  set(key: string, value: number): void;
  get(key: string): number | undefined;
}

const mapStore = (): Store => {
  const values = new Map<string, number>();
  return { set: (key, value) => void values.set(key, value), get: (key) => values.get(key) };
};

const storeContract = portContract<Store>("store", {
  "returns the value that was set": (store) => {
    store.set("a", 1);
    assert.equal(store.get("a"), 1);
  },
  "keeps keys apart": (store) => {
    store.set("a", 1);
    assert.equal(store.get("b"), undefined);
  },
});

storeContract(test, mapStore); // the suite under the test runner itself

/** A runner that collects tests instead of running them. */
const collector = () => {
  const tests = new Map<string, () => Promise<void>>();
  return { tests, test: (name: string, run: () => Promise<void>) => void tests.set(name, run) };
};

test("registers each fact under the contract's title", () => {
  const { tests, test: register } = collector();
  storeContract(register, mapStore);
  expect([...tests.keys()]).toEqual(["store: returns the value that was set", "store: keeps keys apart"]);
});

test("a failing fact fails its own test only", async () => {
  const { tests, test: register } = collector();
  storeContract(register, () => ({ set() {}, get: () => undefined }));
  await expect(tests.get("store: returns the value that was set")?.()).rejects.toMatchObject({ expected: 1 });
  await expect(tests.get("store: keeps keys apart")?.()).resolves.toBeUndefined();
});

test("a contract without facts throws", () => {
  expect(() => portContract("empty", {})).toThrow("empty");
});

test("disposes of a fixture through one of its disposal methods, if it has any", async () => {
  const ended: string[] = [];
  const fixtures = [
    {
      [Symbol.asyncDispose]: async () => void ended.push("asyncDispose"),
      close: () => ended.push("wrong"),
    },
    { [Symbol.dispose]: () => void ended.push("dispose"), close: () => ended.push("wrong") },
    {
      name: "self",
      close() {
        return Promise.resolve(void ended.push(`close of ${this.name}`));
      },
    },
    {},
    null,
  ];
  const contract = portContract<unknown>("ending", { fact: () => void ended.push("fact") });
  for (const fixture of fixtures) {
    const { tests, test: register } = collector();
    contract(register, () => fixture);
    await tests.get("ending: fact")?.();
  }
  expect(ended).toEqual(["fact", "asyncDispose", "fact", "dispose", "fact", "close of self", "fact", "fact"]);
});

test("disposes even if the fact fails, and a failing disposal fails the test", async () => {
  let closed = 0;
  const failing = portContract<object>("failing", {
    fact: () => {
      throw new Error("no");
    },
  });
  const { tests, test: register } = collector();
  failing(register, () => ({ close: () => closed++ }));
  await expect(tests.get("failing: fact")?.()).rejects.toThrow("no");
  expect(closed).toBe(1);

  const fine = portContract<object>("fine", { fact: () => {} });
  fine(register, () => ({ close: () => Promise.reject(new Error("leaked")) }));
  await expect(tests.get("fine: fact")?.()).rejects.toThrow("leaked");
});

test("expectContractToCatch returns the facts that catch a planted fault", async () => {
  const forgetful = (): Store => ({ set() {}, get: () => undefined });
  expect(await expectContractToCatch(storeContract, forgetful)).toEqual(["returns the value that was set"]);
  const oneValue = (): Store => {
    let last: number | undefined;
    return { set: (_key, value) => void (last = value), get: () => last };
  };
  expect(await expectContractToCatch(storeContract, oneValue)).toEqual(["keeps keys apart"]);
});

test("an adapter that passes every fact is an error", async () => {
  await expect(expectContractToCatch(storeContract, mapStore)).rejects.toMatchObject({
    code: "CORE_CONTRACT_BLIND",
  });
});

test("a fact that times out counts as failed", async () => {
  const contract = portContract<() => Promise<void>>("waits", { ends: (wait) => wait() });
  const caught = await expectContractToCatch(contract, () => () => new Promise(() => {}), { timeoutMs: 20 });
  expect(caught).toEqual(["ends"]);
});

test("an adapter that cannot be created is an error, not a caught fault", async () => {
  const failure = expectContractToCatch(storeContract, () => {
    throw new Error("no server");
  });
  await expect(failure).rejects.toMatchObject({ code: "CORE_BAD_CONTRACT" });
  await expect(failure).rejects.toMatchObject({ cause: new Error("no server") });
});
