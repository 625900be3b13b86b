import { databaseInSchema } from "@framework/database/testing";
import { withServer } from "@framework/services";
import { test } from "@jest/globals";
import { crashFacts } from "./crashes.test-kit.ts";

withServer("postgres", (server) => crashFacts(test, () => databaseInSchema(server)));
