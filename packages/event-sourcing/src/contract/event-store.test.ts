import { describe, test } from "@jest/globals";
import { eventStoreContract } from "./event-store-contract.ts";
import { fileFixture, memoryFixture } from "./open-fixture.test-kit.ts";

describe("in memory", () => {
  eventStoreContract(test, memoryFixture);
});
describe("in a SQLite file", () => {
  eventStoreContract(test, fileFixture);
});
