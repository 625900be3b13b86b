import { describe, test } from "@jest/globals";
import { fileFixture, memoryFixture } from "../contract/open-fixture.test-kit.ts";
import { projectionsContract } from "./projections-contract.test-kit.ts";

describe("in memory", () => {
  projectionsContract(test, memoryFixture);
});
describe("in a SQLite file", () => {
  projectionsContract(test, fileFixture);
});
