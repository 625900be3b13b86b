import { databaseInFile, databaseInSchema } from "@framework/database/testing";
import { withServer } from "@framework/services";
import { describe, test } from "@jest/globals";
import { crashFacts } from "./crash.test-kit.ts";

describe("with a SQLite file", () => {
  crashFacts(test, 1, databaseInFile);
});
withServer("postgres", (server) => {
  crashFacts(test, 2, () => databaseInSchema(server));
});
