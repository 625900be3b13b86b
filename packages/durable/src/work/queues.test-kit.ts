// The queue tests, which run on every database.
import type { test as jestTest } from "@jest/globals";
import type { TestDatabase } from "../testing/open-databases.test-kit.ts";
import { clockFacts } from "./clock-facts.test-kit.ts";
import { holdingFacts } from "./holding-facts.test-kit.ts";
import { limitFacts } from "./limit-facts.test-kit.ts";
import { outcomeFacts } from "./outcome-facts.test-kit.ts";
import { parkedFacts } from "./parked-facts.test-kit.ts";
import { factsOn } from "./queue-tools.test-kit.ts";

/** Declares the queue tests. */
export const queues = (test: typeof jestTest, make: () => Promise<TestDatabase>): void => {
  const fact = factsOn(test, make);
  for (const facts of [outcomeFacts, limitFacts, holdingFacts, parkedFacts, clockFacts]) facts(fact);
};
