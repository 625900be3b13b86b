import type { test as jestTest } from "@jest/globals";
import { laneFacts } from "./lane-facts.test-kit.ts";
import { leaseFacts } from "./lease-facts.test-kit.ts";
import { factsOn } from "./processes.test-kit.ts";
import type { TestDatabase } from "./testing/open-databases.test-kit.ts";

/** Declares the lease and lane tests, which run on every database. */
export const leasesAndLanes = (test: typeof jestTest, make: () => Promise<TestDatabase>): void => {
  const fact = factsOn(test, make);
  for (const facts of [leaseFacts, laneFacts]) facts(fact);
};
