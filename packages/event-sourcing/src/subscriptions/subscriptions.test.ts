import { describe, test } from "@jest/globals";
import { fileFixture, memoryFixture } from "../contract/open-fixture.test-kit.ts";
import { subscriptionsContract } from "./subscription-facts.test-kit.ts";

describe("in memory", () => {
  subscriptionsContract(test, memoryFixture);
});
describe("in a SQLite file", () => {
  subscriptionsContract(test, fileFixture);
});
