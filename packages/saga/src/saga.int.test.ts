import { databaseInSchema } from "@framework/database/testing";
import { withServer } from "@framework/services";
import { test } from "@jest/globals";
import { sagaFacts } from "./saga.test-kit.ts";

withServer("postgres", (server) => sagaFacts(test, () => databaseInSchema(server)));
