import { databaseInSchema } from "@framework/database/testing";
import { withServer } from "@framework/services";
import { test } from "@jest/globals";
import { crashPointFacts } from "./crash-points.test-kit.ts";

/** Crashes at every third statement by default; the test on SQLite crashes at every one. */
const stride = Number(process.env["FRAMEWORK_CRASH_STRIDE"] ?? 3);

withServer("postgres", (server) => crashPointFacts(test.concurrent, () => databaseInSchema(server), stride));
