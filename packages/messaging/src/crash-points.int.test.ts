import { databaseInSchema } from "@framework/database/testing";
import { withServer } from "@framework/services";
import { test } from "@jest/globals";
import { crashPointFacts } from "./crash-points.test-kit.ts";

withServer("postgres", (server) => crashPointFacts(test.concurrent, () => databaseInSchema(server)));
