import assert from "node:assert/strict";
import {
  type PortContract,
  type PortFacts,
  type PortFixture,
  portContract,
} from "../../contract/port-contract.ts";
import type { SharedState } from "../shared-state.ts";
import { TTL_MS } from "./fact-tools.ts";
import { permitsContract } from "./permits-contract.ts";
import { totalsContract } from "./totals-contract.ts";
import { valuesContract } from "./values-contract.ts";

/** Runs the test cases of one port on fixtures of the whole state. */
const ofPort = <Name extends keyof SharedState>(
  name: Name,
  { facts }: PortContract<PortFixture<SharedState[Name]>>,
): PortFacts<PortFixture<SharedState>> =>
  Object.fromEntries(
    Object.entries(facts).map(([fact, holds]) => [
      `${name}: ${fact}`,
      ({ views: [a, b], advance }) => holds({ views: [a[name], b[name]], advance }),
    ]),
  );

/** The contract of `SharedState`: the contracts of its three ports, and their independence. */
export const sharedStateContract: PortContract<PortFixture<SharedState>> = portContract("shared state", {
  ...ofPort("values", valuesContract),
  ...ofPort("permits", permitsContract),
  ...ofPort("totals", totalsContract),
  "each port has its own keys": async ({ views: [{ values, permits, totals }] }) => {
    await values.set("k", "text", { ttlMs: TTL_MS });
    await totals.add("k", [["n", [1]]]);
    assert.equal(
      (await permits.take("k", { kind: "bucket", capacity: 2, windowMs: TTL_MS }, { spend: 1 })).free,
      1,
    );
    assert.equal(await values.get("k"), "text");
    assert.deepEqual(await totals.read("k"), [["n", [1]]]);
    assert.equal(await values.delete("k"), true);
    assert.deepEqual(await totals.read("k"), [["n", [1]]]);
  },
});
