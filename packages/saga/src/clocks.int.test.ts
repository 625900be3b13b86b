import { databaseInSchema } from "@framework/database/testing";
import { withServer } from "@framework/services";
import { test } from "@jest/globals";
import { clockFacts } from "./clocks.test-kit.ts";

withServer("postgres", (server) => clockFacts(test, () => databaseInSchema(server)));
