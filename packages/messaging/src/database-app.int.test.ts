import { databaseInSchema } from "@framework/database/testing";
import { withServer } from "@framework/services";
import { test } from "@jest/globals";
import { databaseAppFacts } from "./database-app.test-kit.ts";

withServer("postgres", (server) => databaseAppFacts(test.concurrent, () => databaseInSchema(server)));
