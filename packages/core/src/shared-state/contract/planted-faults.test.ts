import { expect, test } from "@jest/globals";
import { expectContractToCatch } from "../../contract/planted-fault.ts";
import type { PortFixture } from "../../contract/port-contract.ts";
import { virtualClock } from "../../runtime/virtual-clock.ts";
import { inProcessState } from "../in-process-state.ts";
import type { Permits } from "../permits/permits.ts";
import type { SharedState } from "../shared-state.ts";
import type { Totals } from "../totals/totals.ts";
import type { SharedValues } from "../values/shared-values.ts";
import { permitsContract } from "./permits-contract.ts";
import { sharedStateContract } from "./shared-state-contract.ts";
import { totalsContract } from "./totals-contract.ts";
import { valuesContract } from "./values-contract.ts";

/** Creates a fixture of one port with the faults of `breakIt`. */
const broken =
  <Name extends keyof SharedState>(
    name: Name,
    breakIt: (port: SharedState[Name]) => Partial<SharedState[Name]>,
  ) =>
  (): PortFixture<SharedState[Name]> => {
    const clock = virtualClock();
    const port = inProcessState({ clock, log: { error: () => {} } })[name];
    const faulty = { ...port, ...breakIt(port) };
    return { views: [faulty, faulty], advance: clock.advance };
  };

const values: Readonly<Record<string, (port: SharedValues) => Partial<SharedValues>>> = {
  "never expire": (port) => ({
    set: (key, value, options) => port.set(key, value, { ...options, ttlMs: 1e9 }),
  }),
  "ignore ifAbsent": (port) => ({ set: (key, value, { ttlMs }) => port.set(key, value, { ttlMs }) }),
  "ignore max": (port) => ({ add: (key, amount, { ttlMs }) => port.add(key, amount, { ttlMs }) }),
  "add without atomicity": (port) => ({
    add: async (key, amount, options) => {
      const before = await port.get(key);
      await Promise.resolve();
      const value = (typeof before === "number" ? before : 0) + amount;
      await port.set(key, value, options);
      return { value, granted: amount, expiresInMs: options.ttlMs };
    },
  }),
  "raise to any number": (port) => ({
    raise: async (key, value, { ttlMs }) => port.set(key, value, { ttlMs }),
  }),
  "raise without atomicity": (port) => ({
    raise: async (key, value, options) => {
      const before = await port.get(key);
      if (before !== undefined && typeof before !== "number") return port.raise(key, value, options);
      if (before !== undefined && before >= value) return false;
      await Promise.resolve();
      await port.raise(key, value, options);
      return true;
    },
  }),
  "shorten the time to live of a raised value": (port) => ({
    raise: async (key, value, options) => {
      const isStored = await port.raise(key, value, options);
      if (isStored) await port.set(key, value, options);
      return isStored;
    },
  }),
  "send no messages": () => ({ publish: async () => true }),
  "do not wait for subscribers": (port) => ({
    publish: async (channel, message) => {
      port.publish(channel, message).catch(() => {});
      return true;
    },
  }),
  "ignore waitMs": (port) => ({ publish: async (channel, message) => port.publish(channel, message) }),
  "never unsubscribe": (port) => ({
    subscribe: (channel, listener) => {
      port.subscribe(channel, listener);
      return () => {};
    },
  }),
  "accept any key": (port) => ({ get: (key) => (key === "" ? undefined : port.get(key)) }),
};
test.each(Object.entries(values))("the contract catches values that %s", async (_name, breakIt) => {
  expect(await expectContractToCatch(valuesContract, broken("values", breakIt))).not.toEqual([]);
});

const permits: Readonly<Record<string, (port: Permits) => Partial<Permits>>> = {
  "lease nothing": (port) => ({ take: (key, rule, { spend }) => port.take(key, rule, { spend }) }),
  "never end leases": (port) => ({
    take: (key, rule, { spend, lease }) =>
      port.take(key, rule, { spend, ...(lease && { lease: { ...lease, leaseMs: 1e9 } }) }),
  }),
  "forget reported uses": (port) => ({
    take: (key, rule, { spend, lease }) =>
      port.take(key, rule, { spend, ...(lease && { lease: { ...lease, used: [] } }) }),
  }),
  "hide leases of others": (port) => ({
    take: async (...call) => ({ ...(await port.take(...call)), elsewhere: 0 }),
  }),
};
test.each(Object.entries(permits))("the contract catches permits that %s", async (_name, breakIt) => {
  expect(await expectContractToCatch(permitsContract, broken("permits", breakIt))).not.toEqual([]);
});

const totals: Readonly<Record<string, (port: Totals) => Partial<Totals>>> = {
  "lose a concurrent addition": (port) => ({
    add: async (key, amounts) => {
      const before = (await port.read(key)).length;
      await Promise.resolve();
      if ((await port.read(key)).length === before) await port.add(key, amounts.slice(0, 1));
    },
  }),
  "repeat the first page": (port) => ({ read: (key) => port.read(key) }),
  "reverse names": (port) => ({ read: async (key) => (await port.read(key)).toReversed() }),
  "mix keys": (port) => ({ add: (_key, amounts) => port.add("one", amounts), read: () => port.read("one") }),
};
test.each(Object.entries(totals))("the contract catches totals that %s", async (_name, breakIt) => {
  expect(await expectContractToCatch(totalsContract, broken("totals", breakIt))).not.toEqual([]);
});

test("the contract of the whole state catches ports that share keys", async () => {
  const caught = await expectContractToCatch(sharedStateContract, (): PortFixture<SharedState> => {
    const clock = virtualClock();
    const state = inProcessState({ clock, log: { error: () => {} } });
    const mixed: SharedState = {
      ...state,
      totals: {
        add: async (key, amounts) => {
          await state.values.delete(key);
          await state.totals.add(key, amounts);
        },
        read: (key, from) => state.totals.read(key, from),
      },
    };
    return { views: [mixed, mixed], advance: clock.advance };
  });
  expect(caught).toEqual(["each port has its own keys"]);
});
