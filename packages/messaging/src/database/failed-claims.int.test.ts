import { databaseInSchema } from "@framework/database/testing";
import { withServer } from "@framework/services";
import { test } from "@jest/globals";
import { failedClaimsFacts } from "./failed-claims.test-kit.ts";

withServer("postgres", (server) => failedClaimsFacts(test, () => databaseInSchema(server)));
